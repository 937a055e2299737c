import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import type { Browser, Frame, Page } from 'playwright-core';
import { aPackageWithFrames, aScormPackage } from './a-scorm-package.ts';
import { openPage, overflowOf, picture, screens, startBrowser, violationsOf } from './screen.ts';

// The page that plays SCORM packages, in a real browser on a desktop and on a phone: both versions begin, are continued
// where the learner stopped, fail, pass with a score, and can do nothing with the session of the learner.

let fleet: TestFleet;
let browser: Browser;
let tenant: TestTenant;
beforeAll(async () => {
  [fleet, browser] = await Promise.all([
    startFleet({ services: ['files', 'identity', 'training', 'partner', 'crm'] }),
    startBrowser(),
  ]);
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await fleet?.stop();
}, 60_000);

const local = (url: string) => url.replace(/^https?:\/\/[^/]+/, fleet.baseUrl);

async function upload(zip: Buffer): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(zip)], { type: 'application/zip' }), 'package.zip');
  const headers = { 'X-API-Key': tenant.live };
  const response = await fetch(`${fleet.baseUrl}/v1/files/upload`, { method: 'POST', headers, body });
  return ((await response.json()) as { data: { id: string } }).data.id;
}

async function anEnrollment(version: '1.2' | '2004', zip = aScormPackage(version)) {
  const { api } = tenant;
  const { data: course } = await api.createCourse({ body: { title: `Selling with SCORM ${version}` } });
  const { data: lesson } = await api.createLesson({
    params: { id: course.id },
    body: { title: 'The first call', type: 'scorm', fileId: await upload(await zip) },
  });
  await api.publishCourse({ params: { id: course.id } });
  const [user] = (await api.listUsers({ query: {} })).data;
  const { data } = await api.createEnrollment({ body: { courseId: course.id, learnerId: user?.id as string } });
  return { id: data.id, lessonId: lesson.id };
}

const cases = screens.flatMap((one) => (['1.2', '2004'] as const).map((version) => ({ ...one, version })));

describe.each(cases)('SCORM $version on a $screen', ({ screen, viewport, version }) => {
  let page: Page;
  let problems: string[];
  let close: () => Promise<void>;
  let params: { id: string; lessonId: string };
  beforeAll(async () => {
    ({ page, problems, close } = await openPage(browser, viewport));
    params = await anEnrollment(version);
  }, 60_000);
  afterAll(() => close?.());
  afterEach(() => {
    expect(problems.splice(0)).toEqual([]);
  });

  const progress = async () => (await tenant.api.getEnrollmentProgress({ params: { id: params.id } })).data;
  const status = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();

  /** Opens the lesson; returns the frame of the package. */
  async function open(): Promise<Frame> {
    const { data } = await tenant.api.launchLesson({ params });
    await page.goto(local(data.url));
    const frame = await until('the package is loaded', async () => {
      const found = page.frames().find((one) => one.url().includes('/content/'));
      return found && (await found.getByRole('heading', { name: 'The package' }).count()) ? found : undefined;
    });
    await frame.getByText('Ready').waitFor();
    return frame;
  }

  async function looksRight(name: string) {
    await picture(page, `scorm-${name}-${version}-${screen}`);
    expect([name, await overflowOf(page), await violationsOf(page)]).toEqual([name, 0, []]);
  }

  it('begins, is suspended, and continues where the learner stopped', async () => {
    const frame = await open();
    expect(await frame.locator('#place').textContent()).toBe('');
    await frame.getByRole('button', { name: 'Next page' }).click();
    await frame.getByRole('button', { name: 'Leave' }).click();
    await status('Saved');
    await looksRight('begun');
    expect((await progress()).lessons[0]).toMatchObject({ status: 'in_progress' });
    const again = await open();
    expect(await again.locator('#place').textContent()).toBe('page-2');
    expect(await again.locator('#kept').textContent()).toBe('{"page":2}');
    expect(await again.locator('#entry').textContent()).toBe('resume');
  });

  it('may have several pages, which continue with the data of the page before', async () => {
    const frame = await open();
    // The data of the first page are still on their way when the second one begins.
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/commits$/, async (route) => {
      await released;
      await route.continue();
    });
    const sent = page.waitForRequest(/commits$/);
    await frame.getByRole('button', { name: 'Next page' }).click();
    await sent;
    await frame.getByRole('link', { name: 'Second page' }).click();
    const second = page.frameLocator('iframe');
    await second.getByRole('heading', { name: 'The second page' }).waitFor();
    // The script of the page may run after its heading is visible.
    await second.locator('#place', { hasText: 'page-2' }).waitFor();
    release();
    await status('Saved');
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('cannot reach the session, the storage or other hosts', async () => {
    const frame = await open();
    expect(await frame.evaluate('self.origin')).toBe('null');
    const found = await frame.evaluate(`(async () => {
      const failed = async (work) => { try { return String(await work()); } catch (error) { return error.name; } };
      return {
        cookie: document.cookie,
        page: await failed(() => window.top.document.title),
        frame: await failed(() => window.frameElement && 'seen'),
        other: await failed(() => fetch('https://example.com/')),
        kept: await failed(() => { localStorage.setItem('a', 'b'); return localStorage.getItem('a'); }),
      };
    })()`);
    expect(found).toEqual({ cookie: '', page: 'SecurityError', frame: 'null', other: 'TypeError', kept: 'b' });
    expect(await page.evaluate('localStorage.length')).toBe(0);
    // The attempts to leave the sandbox are what the console reports.
    expect(problems.splice(0).every((one) => /Content Security Policy|example\.com/.test(one))).toBe(true);
  });

  it('fails, and passes with a score at the next attempt', async () => {
    const frame = await open();
    await frame.getByRole('button', { name: 'Answer wrongly' }).click();
    await status('Not passed; open the lesson again for another attempt · 40 %');
    await looksRight('failed');
    const again = await open();
    expect(await again.locator('#place').textContent()).toBe('');
    await again.getByRole('button', { name: 'Answer rightly' }).click();
    await status('Passed · 90 %');
    await looksRight('passed');
    await page.emulateMedia({ colorScheme: 'dark' });
    await looksRight('passed-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await progress()).toMatchObject({ status: 'completed', percent: 100, score: 90 });
    const { data } = await tenant.api.listXapiStatements({ params: { id: params.id }, query: {} });
    const verbs = data.statements.map(({ verb }) => verb.display['en-US']);
    expect(verbs).toEqual(expect.arrayContaining(['initialized', 'answered', 'failed', 'passed', 'completed']));
    await open();
    await status('Opened again; the result does not change');
  });
});

it('an older page says that the lesson was opened in another window', async () => {
  const { page, close } = await openPage(browser, screens[0].viewport);
  const params = await anEnrollment('1.2');
  const { data } = await tenant.api.launchLesson({ params });
  await page.goto(local(data.url));
  const frame = page.frameLocator('iframe');
  await frame.getByText('Ready').waitFor();
  await tenant.api.launchLesson({ params });
  await frame.getByRole('button', { name: 'Answer rightly' }).click();
  await page.getByRole('status').filter({ hasText: 'opened in another window' }).waitFor();
  expect((await tenant.api.getEnrollmentProgress({ params: { id: params.id } })).data.status).toBe('in_progress');
  await close();
});

describe('on a host of its own', () => {
  let host: string;
  beforeAll(async () => {
    host = `http://localhost:${new URL(fleet.baseUrl).port}`;
    await fleet.restart('training', { SCORM_CONTENT_URL: host });
  }, 60_000);
  afterAll(() => fleet?.restart('training', { SCORM_CONTENT_URL: '' }), 60_000);

  it('a package has the origin of that host, and its frames reach each other and the run-time API', async () => {
    const { page, problems, close } = await openPage(browser, screens[0].viewport);
    const params = await anEnrollment('1.2', aPackageWithFrames());
    const { data } = await tenant.api.launchLesson({ params });
    expect(new URL(data.url).origin).toBe(host);
    await page.goto(data.url);
    const inner = page.frameLocator('iframe').frameLocator('iframe');
    await inner.getByRole('heading', { name: 'Framed' }).waitFor();
    await inner.getByRole('button', { name: 'Complete' }).click();
    await page.getByRole('status').filter({ hasText: 'Passed' }).waitFor();
    expect((await tenant.api.getEnrollmentProgress({ params: { id: params.id } })).data.status).toBe('completed');
    expect(problems).toEqual([]);
    await close();
  });

  it('a package of SCORM 2004 finds the run-time API in its parents', async () => {
    const { page, problems, close } = await openPage(browser, screens[0].viewport);
    const params = await anEnrollment('2004');
    await page.goto((await tenant.api.launchLesson({ params })).data.url);
    await page.frameLocator('iframe').getByRole('button', { name: 'Answer rightly' }).click();
    await page.getByRole('status').filter({ hasText: 'Passed · 90 %' }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });
});
