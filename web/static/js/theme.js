// Runs before the first paint, so that a chosen theme does not flash. Nothing chosen: the system's.
try {
  const chosen = localStorage.getItem("crowntable-theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // private windows may forbid storage; the system's theme serves
}
