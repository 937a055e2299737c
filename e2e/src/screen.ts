import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

// What visitors see, in a real browser: pages of the fleet as they look, and what checks of accessibility say.

/** The sizes in which pages are looked at. */
export const screens = [
  { screen: 'desktop', viewport: { width: 1_280, height: 800 } },
  { screen: 'phone', viewport: { width: 390, height: 844 } },
] as const;

export type Viewport = (typeof screens)[number]['viewport'];

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const person = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15';

/** Starts Chromium: that of the variable `CHROMIUM`, or the one that is installed with the tests. */
export async function startBrowser(): Promise<Browser> {
  // It brings the libraries that it needs only for this name of a machine.
  process.env['AWS_EXECUTION_ENV'] ??= 'AWS_Lambda_nodejs24.x';
  const { default: installed } = await import('@sparticuz/chromium');
  const executablePath = process.env['CHROMIUM'] ?? (await installed.executablePath());
  // A mail has no address, so that it would count as a page of the internet, which may load nothing from this machine.
  const args = ['--no-sandbox', '--disable-features=LocalNetworkAccessChecks'];
  return chromium.launch({ executablePath, args });
}

/** Opens an empty page; `problems` are the errors of its console and scripts. */
export async function openPage(browser: Browser, viewport: Viewport) {
  const context = await browser.newContext({ viewport, userAgent: person, reducedMotion: 'reduce' });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return { page, problems, close: () => context.close() };
}

/** What axe finds in the page, as rules with their elements. */
export async function violationsOf(page: Page, rules: RunOptions['rules'] = {}): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = { runOnly: { type: 'tag', values: standards }, rules };
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** How many pixels the page is wider than the screen. */
export async function overflowOf(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'));
}

/** Keeps a picture of the whole page, to look at, in the folder of the variable `SCREENSHOTS`. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
