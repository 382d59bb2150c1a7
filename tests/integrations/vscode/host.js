// What VS Code's notebooks do with a widget: their manager of widgets, joined to a running kernel.
import { KernelManager, ServerConnection } from "@jupyterlab/services";
import { activate } from "@vscode/jupyter-ipywidgets8/dist/ipywidgets.js";

const VIEW = "application/vnd.jupyter.widget-view+json";

function scripts() {
  const registered = new Set();
  return {
    widgetsRegisteredInRequireJs: registered,
    loadWidgetScript: async (name) => {
      requirejs.config({ paths: { [name]: `/host/nbextensions/${name}/index` } });
      registered.add(name);
    },
    successHandler: () => {},
    errorHandler: (...what) => console.error(what.map(String).join(" ")),
  };
}

window.start = async (token) => {
  activate();
  window.vscIPyWidgets8.load();
  const serverSettings = ServerConnection.makeSettings({
    baseUrl: location.origin, wsUrl: location.origin.replace("http", "ws"), token, appendToken: true,
  });
  const kernel = await new KernelManager({ serverSettings }).startNew({ name: "python3" });
  const output = document.body.appendChild(document.createElement("div"));
  const manager = new window.vscIPyWidgets.WidgetManager(kernel, output, scripts(), () => {});

  window.run = async (code) => {
    const future = kernel.requestExecute({ code });
    let shown = null;
    future.onIOPub = ({ content }) => {
      if (content.traceback) throw new Error(content.traceback.join("\n"));
      shown = content.data?.[VIEW] ?? shown;
    };
    await future.done;
    if (!shown) return;
    const view = await manager.create_view(await manager.get_model(shown.model_id));
    await manager.display_view(shown, view, { node: output });
  };
};
