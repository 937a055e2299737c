/** The style of the page to sign. */
export const signingStyle = `
:root { color-scheme: light dark; --ink: #1f2430; --soft: #5b6475; --paper: #fff; --ground: #f4f5f7; --line: #d6dae1; --deep: #2f55d4; --on-deep: #fff; --bad: #b42318; --pad: #fbfcff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #a3abb9; --paper: #1e2128; --ground: #14161b; --line: #3a3f4a; --deep: #8aa4ff; --on-deep: #10131a; --bad: #ff8a80; --pad: #262a33; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main { max-width: 76rem; margin: 0 auto; padding: 1.25rem; }
header { padding-bottom: 0; }
h1 { margin: 0 0 .25rem; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 0 0 .75rem; font-size: 1.15rem; }
p { margin: 0 0 .75rem; }
.soft { color: var(--soft); font-size: .92rem; }
.columns { display: grid; gap: 0 1.25rem; align-items: start; }
@media (min-width: 60rem) { .columns { grid-template-columns: minmax(0, 3fr) minmax(20rem, 2fr); } }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: .9rem; padding: 1.25rem; margin: 0 0 1.25rem; }
iframe { display: none; width: 100%; height: 72vh; border: 1px solid var(--line); border-radius: .5rem; background: #fff; }
@media (min-width: 60rem) { .shows-pdf iframe { display: block; } }
.button, button { display: inline-block; min-height: 2.9rem; padding: .65rem 1.2rem; border: 1px solid var(--deep); border-radius: .6rem; background: var(--deep); color: var(--on-deep); font: inherit; font-weight: 600; text-decoration: none; white-space: nowrap; cursor: pointer; }
.plain { background: transparent; color: var(--deep); }
.danger { background: transparent; border-color: var(--bad); color: var(--bad); }
.wide { width: 100%; text-align: center; }
label { display: block; font-weight: 600; }
label.check { display: flex; gap: .6rem; align-items: flex-start; font-weight: 400; }
label.check input { flex: none; width: 1.3rem; height: 1.3rem; margin: .15rem 0 0; accent-color: var(--deep); }
input[type=text], textarea { width: 100%; margin: .3rem 0 .9rem; padding: .65rem .8rem; border: 1px solid var(--soft); border-radius: .5rem; background: var(--pad); color: var(--ink); font: inherit; font-weight: 400; }
fieldset { border: 0; margin: 0 0 1rem; padding: 0; min-width: 0; }
legend { padding: 0; margin-bottom: .6rem; font-size: 1.15rem; font-weight: 700; }
.field { margin-bottom: .75rem; }
.choice { display: flex; flex-wrap: wrap; gap: .4rem 1.25rem; margin-bottom: .75rem; }
.hand { font-family: 'Segoe Script', 'Bradley Hand', 'Snell Roundhand', cursive; font-size: 1.5rem !important; }
canvas { display: block; width: 100%; height: auto; aspect-ratio: 10 / 3; border: 2px dashed var(--soft); border-radius: .5rem; background: #fff; touch-action: none; cursor: crosshair; }
.draw-row button { flex: none; }
.draw-row { display: flex; justify-content: space-between; align-items: center; gap: .75rem; margin: .5rem 0 1rem; }
[hidden] { display: none !important; }
.error { margin: 0 0 1rem; padding: .75rem 1rem; border-left: 4px solid var(--bad); background: var(--paper); color: var(--bad); font-weight: 600; }
details { margin-top: 1.25rem; border-top: 1px solid var(--line); padding-top: 1rem; }
summary { cursor: pointer; color: var(--soft); }
details p { margin-top: .75rem; }
ul { margin: 0; padding: 0; list-style: none; }
li { display: flex; justify-content: space-between; gap: 1rem; padding: .35rem 0; }
.message { white-space: pre-line; border-left: 3px solid var(--line); padding-left: .9rem; }
a { color: var(--deep); }
a.button { color: var(--on-deep); }
a.plain { color: var(--deep); }
:is(a, button, input, textarea, summary, canvas):focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
`;
