// Runs before the first paint, so that a chosen theme does not flash. Nothing chosen: the system's.
(() => {
  const root = document.documentElement;
  try {
    const chosen = localStorage.getItem("crowntable-theme");
    if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  } catch {
    // private windows may forbid storage; the system's theme serves
  }
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark")) === "dark";
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const label = () => {
      button.textContent = dark() ? button.dataset.labelLight : button.dataset.labelDark;
    };
    button.hidden = false;
    button.onclick = () => {
      root.dataset.theme = dark() ? "light" : "dark";
      try {
        localStorage.setItem("crowntable-theme", root.dataset.theme);
      } catch {
        // without storage the choice holds for this page only
      }
      label();
    };
    label();
  });
})();
