// The widget of a notebook: the page of a run in a frame, and what is selected there. The page has
// the other end of the port.

// whether the notebook around an element is dark: its text is light
function isDark(element) {
  const [red, green, blue] = getComputedStyle(element).color.match(/[\d.]+/g).map(Number);
  return red + green + blue > 3 * 127;
}

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "Motifs";
  // its script cannot reach the notebook
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  Object.assign(frame.style, { display: "block", width: "100%", height: "760px", border: 0 });
  let port;
  const tell = () => port?.postMessage({ dark: isDark(el), address: model.get("_address") });
  // also when the notebook takes the frame out of view and back, which loads it again
  frame.addEventListener("load", () => {
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = ({ data }) => {
      model.set("_address", data);
      model.save_changes();
    };
    frame.contentWindow.postMessage(null, "*", [channel.port2]);
    tell();
  });
  frame.srcdoc = model.get("_page");
  el.append(frame);
  model.on("change:_address", tell);
  const theme = new MutationObserver(tell);
  for (const element of [document.documentElement, document.body]) theme.observe(element, { attributes: true });
  return () => {
    model.off("change:_address", tell);
    theme.disconnect();
  };
}

export default { render };
