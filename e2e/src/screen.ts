import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

// Opens pages and mails of the fleet in a real browser, and checks their accessibility.

/** The sizes of the browser window in which pages are checked. */
export const screens = [
  { screen: 'desktop', viewport: { width: 1_280, height: 800 } },
  { screen: 'phone', viewport: { width: 390, height: 844 } },
] as const;

export type Viewport = (typeof screens)[number]['viewport'];

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const person = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15';

/** Starts Chromium: the executable that the variable `CHROMIUM` names, or the one that is installed with the tests. */
export async function startBrowser(): Promise<Browser> {
  // The package unpacks the libraries that Chromium needs only if this variable is set.
  process.env['AWS_EXECUTION_ENV'] ??= 'AWS_Lambda_nodejs24.x';
  const { default: installed } = await import('@sparticuz/chromium');
  const executablePath = process.env['CHROMIUM'] ?? (await installed.executablePath());
  // A mail has no URL. Chromium treats it as a page of the internet, which may not load anything from this machine.
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

/** The violations that axe finds in the page: rules with their elements. */
export async function violationsOf(page: Page, rules: RunOptions['rules'] = {}): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = { runOnly: { type: 'tag', values: standards }, rules };
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** The number of pixels by which the page is wider than the screen. */
export async function overflowOf(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'));
}

/** Stores a screenshot of the whole page in the folder that the variable `SCREENSHOTS` names. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
