import type { PageColors } from './page-colors.ts';

// Fonts that the device has. No font is loaded, so that visitors contact no other server.
const fonts = {
  sans: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  serif: "'Iowan Old Style', 'Palatino Linotype', Palatino, Georgia, 'Times New Roman', serif",
  mono: "ui-monospace, 'Cascadia Code', Menlo, Consolas, monospace",
  round: "ui-rounded, 'SF Pro Rounded', Nunito, 'Segoe UI', Verdana, sans-serif",
} as const;

const families: [names: RegExp, font: keyof typeof fonts][] = [
  [/mono|courier|consolas|menlo|code\b/i, 'mono'],
  [/nunito|quicksand|rounded|comfortaa|varela/i, 'round'],
  [/sans|arial|helvetica|verdana|inter\b|montserrat|roboto|lato/i, 'sans'],
  [/serif|georgia|times|garamond|palatino|merriweather|playfair|lora/i, 'serif'],
];

/** The system fonts that come closest to a CSS font family. */
export function fontOf(family = ''): string {
  return fonts[families.find(([names]) => names.test(family))?.[1] ?? 'sans'];
}

/** The style sheet of a page. */
export function pageStyleOf(colors: PageColors, fontFamily: string | undefined): string {
  const { background, tint, text, soft, line, accent, onAccent, error, isDark } = colors;
  return `
:root { color-scheme: ${isDark ? 'dark' : 'light'}; --back: ${background}; --tint: ${tint}; --text: ${text}; --soft: ${soft};
  --line: ${line}; --accent: ${accent}; --on-accent: ${onAccent}; --error: ${error}; }
${rules}
body { font-family: ${fontOf(fontFamily)}; }
`;
}

const rules = `
*, *::before, *::after { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--back); color: var(--text); font-size: 1.0625rem; line-height: 1.65; overflow-wrap: anywhere; }
.tp-skip { position: absolute; left: -100vw; top: 0; padding: .75rem 1.25rem; background: var(--accent); color: var(--on-accent); }
.tp-skip:focus { left: 0; z-index: 1; }
main > * { margin-block: 0; padding: 1rem max(1.25rem, calc((100% - 66rem) / 2)); }
main > .tp-section, main > .tp-form { padding-block: clamp(2.5rem, 7vw, 5rem); }
.tp-section > :last-child { margin-bottom: 0; }
main > ul, main > ol { padding-inline-start: max(2.5rem, calc((100% - 66rem) / 2 + 1.25rem)); }
h1, h2, h3, h4, h5, h6 { margin: 0 0 .6em; line-height: 1.2; text-wrap: balance; }
h1 { font-size: clamp(2.2rem, 6vw, 3.6rem); letter-spacing: -.02em; color: var(--accent); }
h2 { font-size: clamp(1.6rem, 4vw, 2.2rem); letter-spacing: -.01em; color: var(--accent); }
h3 { font-size: 1.2rem; }
h4, h5, h6 { font-size: 1rem; }
p { margin: 0 0 1em; max-width: 42rem; }
a { color: var(--accent); text-underline-offset: .15em; }
img, picture { max-width: 100%; height: auto; border-radius: .75rem; }
table { display: block; max-width: 100%; overflow-x: auto; border-collapse: collapse; }
th, td { padding: .6rem .9rem; border-bottom: 1px solid var(--line); text-align: start; }
pre { overflow-x: auto; }
blockquote { margin: 0 0 1.25rem; padding: 1.25rem 1.5rem; border-inline-start: .25rem solid var(--accent); background: var(--back); border-radius: .5rem; font-size: 1.15rem; }
details { max-width: 48rem; padding: 1rem 0; border-bottom: 1px solid var(--line); }
summary { cursor: pointer; font-weight: 600; }
.button, .tp-form button { display: inline-block; padding: .85rem 1.75rem; border: 0; border-radius: .6rem; background: var(--accent); color: var(--on-accent);
  font: inherit; font-weight: 650; text-decoration: none; cursor: pointer; }
.button:hover, .tp-form button:hover { text-decoration: underline; }
.tp-form button[disabled] { opacity: .6; cursor: default; }
:focus-visible { outline: 3px solid var(--text); outline-offset: 3px; }
.tp-hero { background: var(--tint); }
.tp-hero p { font-size: clamp(1.1rem, 2.4vw, 1.35rem); color: var(--soft); }
.tp-features ul, .tp-benefits ul, .tp-pricing ul { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)); gap: 1.25rem; margin: 1.5rem 0 0; padding: 0; list-style: none; }
.tp-features li, .tp-benefits li, .tp-pricing li { padding: 1.5rem; background: var(--tint); border-radius: 1rem; }
.tp-features li :last-child, .tp-pricing li :last-child { margin-bottom: 0; }
.tp-testimonials { background: var(--tint); }
.tp-cta { text-align: center; }
.tp-cta p { margin-inline: auto; }
.tp-form { text-align: start; }
.tp-section .tp-form { margin-top: 2rem; }
.tp-form form { width: 100%; max-width: 34rem; padding: clamp(1.25rem, 4vw, 2rem); background: var(--tint); border-radius: 1rem; }
.tp-cta .tp-form form, .tp-cta .tp-status { margin-inline: auto; }
.tp-field { margin: 0 0 1.1rem; }
.tp-field label { display: block; margin: 0 0 .3rem; font-weight: 600; }
.tp-field small, .tp-form small { color: var(--soft); font-weight: 400; }
.tp-field input, .tp-field select, .tp-field textarea { display: block; width: 100%; padding: .7rem .85rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--back); color: var(--text); font: inherit; }
.tp-field textarea { min-height: 7rem; resize: vertical; }
.tp-check { display: grid; grid-template-columns: auto 1fr; gap: .1rem .7rem; align-items: start; }
.tp-check input { width: 1.2rem; height: 1.2rem; margin: .25rem 0 0; accent-color: var(--accent); }
.tp-check label { margin: 0; font-weight: 400; }
.tp-check .tp-error { grid-column: 2; }
.tp-form .tp-error { margin: .3rem 0 0; color: var(--error); font-size: .95rem; }
.tp-error:empty { display: none; }
[aria-invalid=true] { border-color: var(--error) !important; border-width: 2px !important; }
.tp-status { max-width: 34rem; margin: 1rem 0 0; font-weight: 600; white-space: pre-line; }
[hidden] + .tp-status { padding: clamp(1.25rem, 4vw, 2rem); background: var(--tint); border-radius: 1rem; }
.tp-cta [hidden] + .tp-status { text-align: center; }
.tp-status:empty { display: none; }
.tp-status.tp-bad { color: var(--error); }
.tp-trap { position: absolute; left: -100vw; width: 1px; height: 1px; overflow: hidden; }
`;
