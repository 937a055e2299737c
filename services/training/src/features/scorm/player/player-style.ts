/** The style of the page that plays a package: a bar, and the package below it. */
export const playerStyle = `
:root { color-scheme: light dark; --ink: #1f2430; --soft: #5b6475; --paper: #fff; --line: #d6dae1; --deep: #2f55d4; --bad: #b42318; --good: #1b6e3c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #a3abb9; --paper: #1e2128; --line: #3a3f4a; --deep: #8aa4ff; --bad: #ff8a80; --good: #7fd6a0; }
}
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; background: var(--paper); color: var(--ink); font: 1rem/1.4 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.25rem; padding: .6rem 1rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
h1 { flex: 1 1 12rem; margin: 0; font-size: 1.05rem; line-height: 1.3; }
[role=status] { margin: 0; color: var(--soft); font-size: .92rem; }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
main { flex: 1; min-height: 0; display: flex; }
iframe { flex: 1; width: 100%; border: 0; background: #fff; }
noscript p { padding: 1rem; }
`;
