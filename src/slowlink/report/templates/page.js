"use strict";
(function () {
  // What the point nearest to the pointer says, beside it: points are small, and fingers are not.
  function showNearest(svg) {
    var figure = svg.closest("figure"), dots = Array.from(svg.querySelectorAll(".dot")), near = null;
    var tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    figure.appendChild(tip);

    function leave() {
      if (near) { near.classList.remove("near"); }
      near = null;
      tip.hidden = true;
    }
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("pointermove", function (event) {
      var least = Infinity, found = null;
      dots.forEach(function (dot) {
        var box = dot.getBoundingClientRect();
        var away = Math.hypot(event.clientX - (box.left + box.right) / 2, event.clientY - (box.top + box.bottom) / 2);
        if (away < least) { least = away; found = dot; }
      });
      if (least > 60) { leave(); return; }
      if (found !== near) {
        leave();
        near = found;
        near.classList.add("near");
        tip.textContent = near.dataset.tip;
        tip.hidden = false;
      }
      var place = figure.getBoundingClientRect(), box = near.getBoundingClientRect();
      var left = box.left - place.left + 12;
      tip.style.left = Math.max(0, Math.min(left, place.width - tip.offsetWidth)) + "px";
      tip.style.top = box.top - place.top - tip.offsetHeight - 8 + "px";
    });
    // The title of a point would come up a second time, above the words that stand there already.
    dots.forEach(function (dot) {
      var title = dot.querySelector("title");
      dot.dataset.tip = title ? title.textContent : "";
      if (title) { title.remove(); }
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

  document.querySelectorAll("svg.curve").forEach(showNearest);
})();
