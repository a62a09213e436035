"use strict";
(function () {
  function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  }

  function layoutOf(curve, width) {
    var shapes = [], notes = [], stride = width < 520 ? 2 : 1;
    function sparse(list) { return list.filter(function (_, index) { return index % stride === 0; }); }
    if (curve.band) {
      shapes.push({type: "rect", xref: "paper", x0: 0, x1: 1, y0: curve.band[0], y1: curve.band[1],
                   fillcolor: color("band"), opacity: 0.16, line: {width: 0}, layer: "below"});
      shapes.push({type: "line", xref: "paper", x0: 0, x1: 1, y0: curve.bound, y1: curve.bound,
                   line: {color: color("band"), width: 1.5, dash: "dash"}, layer: "below"});
      notes.push({xref: "paper", x: 0.01, y: curve.band[0], xanchor: "left", yanchor: "top", showarrow: false,
                  text: curve.bandLabel, font: {color: color("band"), size: 12}});
    }
    var axis = {color: color("faint"), gridcolor: color("rule"), zeroline: false, fixedrange: false};
    return {
      margin: {l: 48, r: 12, t: 12, b: 42}, showlegend: false, hovermode: "closest", dragmode: "zoom",
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: {family: color("sans"), size: 12, color: color("ink")},
      modebar: {bgcolor: "rgba(0,0,0,0)", color: color("faint"), activecolor: color("ink")},
      hoverlabel: {bgcolor: color("card"), bordercolor: color("rule"), font: {color: color("ink")}},
      xaxis: Object.assign({type: "log", range: curve.range, tickvals: sparse(curve.tickvals),
                            ticktext: sparse(curve.ticktext),
                            showgrid: false, tickangle: 0}, axis),
      yaxis: Object.assign({range: [0, curve.top], title: {text: "GB/s", font: {size: 11}}}, axis),
      shapes: shapes, annotations: notes
    };
  }

  function tracesOf(curve) {
    return curve.traces.map(function (trace) {
      var ink = color(trace.placement === "in_place" ? "series1" : "series0");
      return {type: "scatter", mode: "lines+markers", name: trace.name, x: trace.x, y: trace.y, text: trace.text,
              hovertemplate: "%{text}<extra>" + trace.name + "</extra>",
              line: {color: ink, width: 2}, marker: {color: ink, size: 6}};
    }).reverse();
  }

  function drawCurves() {
    var data = document.getElementById("curves");
    if (!data || typeof Plotly === "undefined") { return; }
    var curves = JSON.parse(data.textContent);
    document.querySelectorAll(".interactive").forEach(function (place) {
      var curve = curves[Number(place.dataset.curve)];
      place.parentElement.classList.add("plotted");
      try {
        Plotly.react(place, tracesOf(curve), layoutOf(curve, place.clientWidth),
                     {displaylogo: false, responsive: true,
                      modeBarButtons: [["zoomIn2d", "zoomOut2d", "resetScale2d"]]});
      } catch (error) {
        place.parentElement.classList.remove("plotted");
        throw error;
      }
    });
  }

  function copyText(pre, button) {
    function done() {
      button.textContent = "Copied";
      setTimeout(function () { button.textContent = "Copy"; }, 1500);
    }
    function select() {
      var range = document.createRange();
      range.selectNodeContents(pre);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      if (document.execCommand("copy")) { done(); }
    }
    if (navigator.clipboard) { navigator.clipboard.writeText(pre.textContent).then(done, select); } else { select(); }
  }

  document.querySelectorAll(".command").forEach(function (box) {
    var button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", function () { copyText(box.querySelector("pre"), button); });
    box.appendChild(button);
  });

  addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (details) { details.open = true; });
  });

  drawCurves();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCurves);
})();
