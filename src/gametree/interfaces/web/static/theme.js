// Before the first paint, so that a dark page never flashes white. An own file: the policy allows no inline script.
try {
  const theme = localStorage.getItem("gametree.theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* storage is switched off; the system's choice holds */ }
