import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import type { Browser, Page } from 'playwright-core';
import { aPdf } from './a-pdf.ts';
import { openPage, picture, screens, startBrowser } from './screen.ts';
import { upload } from './upload.ts';

// A contract, from an upload whose connection is lost to the verification of two signatures made in a browser; and a scanned
// page whose words are found.

const partBytes = 5 * 1024 * 1024;

let fleet: TestFleet;
let tenant: TestTenant;
let api: TestTenant['api'];
let browser: Browser;
beforeAll(async () => {
  [fleet, browser] = await Promise.all([startFleet({ services: ['files', 'identity'] }), startBrowser()]);
  tenant = await aTenant(fleet);
  api = tenant.api;
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await fleet?.stop();
}, 60_000);

/** The address of the fleet instead of the one in links. */
const local = (url: string) => url.replace(/^https?:\/\/[^/]+/, fleet.baseUrl);
const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

/** Sends half of a body that announces its whole length, and closes the connection. */
async function sendHalf(url: string, headers: Record<string, string>, content: Buffer): Promise<void> {
  const outgoing = request(local(url), { method: 'PUT', headers: { ...headers, 'Content-Length': content.length } });
  const lost = new Promise<void>((resolve) => outgoing.once('error', () => resolve()));
  await new Promise<void>((resolve) => outgoing.write(content.subarray(0, content.length / 2), () => resolve()));
  outgoing.destroy();
  await lost;
}

async function sendWhole(url: string, headers: Record<string, string>, body: Buffer): Promise<void> {
  const response = await fetch(local(url), { method: 'PUT', headers, body: new Uint8Array(body) });
  expect([response.status, await response.json()]).toMatchObject([200, { data: { size: body.length } }]);
}

describe('a contract', () => {
  const content = Buffer.from(aPdf(`%${'x'.repeat(partBytes)}\n`));
  const pieces = [content.subarray(0, partBytes), content.subarray(partBytes)] as const;
  let fileId: string;
  let requestId: string;

  const partLinks = async (partNumbers: number[]) =>
    (await api.signParts({ params: { id: fileId }, body: { partNumbers } })).data;
  const signatureRequest = async () => (await api.getSignatureRequest({ params: { requestId } })).data;

  it('is uploaded in pieces; after a lost connection only the missing one is sent again', async () => {
    const body = {
      filename: 'contract.pdf',
      contentType: 'application/pdf',
      size: content.length,
      checksumSha256: sha256(content),
    };
    fileId = (await api.createPresignedUpload({ body })).data.fileId;
    const [first, second] = (await partLinks([1, 2])).parts;
    if (!first || !second) throw new Error('Two parts were requested');
    await sendWhole(first.uploadUrl, first.headers, pieces[0]);
    await sendHalf(second.uploadUrl, second.headers, pieces[1]);

    const [again, ...others] = (await partLinks([2])).parts;
    if (!again || others.length) throw new Error('One part was requested');
    expect((await partLinks([])).stored).toEqual([{ partNumber: 1, size: partBytes }]);
    await sendWhole(again.uploadUrl, again.headers, pieces[1]);
    await api.completeUpload({ params: { id: fileId }, body: {} });
    const file = await until('the content is checked', async () => {
      const { data } = await api.getFile({ params: { id: fileId } });
      return data.status !== 'processing' && data;
    });
    expect(file).toMatchObject({ status: 'available', size: content.length, checksumSha256: sha256(content) });
  });

  it('is signed by two people, one after the other, in a browser', async () => {
    const people = ['Ada Lovelace', 'Grace Hopper'];
    const emailOf = (name: string) => `${name.split(' ')[0]}-${tenant.id}@example.com`.toLowerCase();
    const signers = people.map((name, index) => ({ name, email: emailOf(name), order: index + 1 }));
    const { data } = await api.createSignatureRequest({
      params: { id: fileId },
      body: { subject: 'Contract 2026', signingOrder: 'sequential', signers },
    });
    requestId = data.id;
    const { page, problems, close } = await openPage(browser, screens[0].viewport);
    for (const name of people) {
      const mail = await until(`${name} is invited`, () =>
        fleet.mailbox.to(emailOf(name)).find(({ subject }) => /^Please sign/.test(subject)),
      );
      await page.goto(local(/https?:\/\/[^\s]*\/sign\/[^\s]+/.exec(mail.text)?.[0] ?? ''));
      await page.getByLabel('Your full name').fill(name);
      await page.getByLabel('I agree to sign').check();
      await page.getByRole('button', { name: 'Sign the document', exact: true }).click();
      await page.getByRole('heading', { name: /signed$/ }).waitFor();
    }
    await until('the contract is completed', async () => (await signatureRequest()).status === 'completed');
    await close();
    expect(problems).toEqual([]);
  });

  it('is verified by its signature and by its checksum; a changed copy is not', async () => {
    const { data: link } = await api.getFileDownload({ params: { id: fileId } });
    const signed = Buffer.from(await (await fetch(local(link.url))).arrayBuffer());
    expect(signed.subarray(0, content.length).equals(content)).toBe(true);
    const verified = await api.verifySignature({ body: { fileId } });
    expect(verified.data).toMatchObject({ known: true, requestId, signature: { valid: true } });
    const byChecksum = await api.verifySignature({ body: { sha256: sha256(signed) } });
    expect(byChecksum.data).toMatchObject({ known: true, requestId });

    const copy = Buffer.from(signed);
    copy.write('Contract of 2099', copy.indexOf('Contract of 2026'));
    const forged = await upload(fleet, tenant, { content: copy, filename: 'contract.pdf' });
    const refused = await api.verifySignature({ body: { fileId: forged } });
    expect(refused.data).toMatchObject({ known: false, signature: { valid: false } });
  });
});

describe('a scanned page', () => {
  it('is read, and the list finds it by its words', async () => {
    const { page, close } = await openPage(browser, screens[0].viewport);
    const scan = await aScan(page, ['Delivery note', 'Analytical engine', 'Quantity: 12']);
    await close();
    const id = await upload(fleet, tenant, { content: scan, filename: 'scan.png' });
    await api.startOcr({ params: { id }, body: { languages: ['eng'] } });
    const job = await until('the page is read', async () => {
      const { data } = await api.getFileOcr({ params: { id } });
      return ['completed', 'failed'].includes(data.status) && data;
    });
    expect(job).toMatchObject({ status: 'completed', text: 'Delivery note\nAnalytical engine\nQuantity: 12' });
    const found = await until('the list finds it', async () => {
      const { data } = await api.listFiles({ query: { text: 'analytical' } });
      return data.length > 0 && data;
    });
    expect(found.map((file) => file.id)).toEqual([id]);
  });
});

/** A picture of printed lines. */
async function aScan(page: Page, lines: readonly string[]): Promise<Buffer> {
  const text = lines.map((line) => `<p>${line}</p>`).join('');
  await page.setContent(`<body style="font: 40px sans-serif; background: #fdfcf7; color: #222">${text}</body>`);
  await picture(page, 'scan');
  return page.screenshot();
}
