import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';
import { filesPeer } from './files-peer.test-service.ts';
import { workbook } from './workbook.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let files: Awaited<ReturnType<typeof filesPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  [identity, files] = await Promise.all([identityPeer(), filesPeer()]);
  service = await startCrm({ IDENTITY_URL: identity.url, FILES_URL: files.url });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([identity?.close(), files?.close()]);
});

type Api = ReturnType<typeof service.as>;

const ended = (api: Api, id: string) =>
  until('the import is checked', async () => {
    const { data } = await api.getLeadImport({ params: { id } });
    return ['validated', 'failed'].includes(data.status) && data;
  });

async function checked(content: string | Buffer) {
  const api = service.as();
  const { data } = await api.createLeadImport({ body: { fileId: files.add(content) } });
  return ended(api, data.id);
}

const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
const head = `<row>${['email', 'firstName', 'lastName'].map(cell).join('')}</row>`;
const ada = `<row>${['ada@example.com', 'Ada', 'Lovelace'].map(cell).join('')}</row>`;
const attributes = Array.from({ length: 1_000 }, (_, index) => `a${index}="1"`).join(' ');
const styles = (content: string) => ({
  more: { 'xl/styles.xml': `<styleSheet><cellXfs>${content}</cellXfs></styleSheet>` },
});

describe('a file that would take too much memory or time', () => {
  // Contents are made in the tests, because jest formats the values of a table.
  const contents = {
    'nested elements': ['unreadable_file', () => workbook('<a>'.repeat(2_000_000))],
    'an element with many attributes': ['unreadable_file', () => workbook(`<row ${attributes}>`)],
    'an attribute without an end': ['unreadable_file', () => workbook(`<row r="${'1'.repeat(5_000_000)}"/>`)],
    'a name in the last column of a sheet': ['too_many_columns', () => workbook('<row><c r="XFD1"><v>1</v></c></row>')],
    'many empty rows': ['too_many_rows', () => workbook(head + '<row/>'.repeat(1_100_000))],
    'many empty rows before the first one': ['too_many_rows', () => workbook('<row/>'.repeat(1_100_000))],
    'many styles': ['too_large', () => workbook(head, styles('<xf numFmtId="14"/>'.repeat(100_000)))],
    'a large part beside the sheet': ['too_large', () => workbook(head, styles(' '.repeat(11_000_000)))],
    'many shared texts': ['too_large', () => workbook(head, { shared: '<si/>'.repeat(2_100_000) })],
  } as const;

  it.each(Object.keys(contents) as (keyof typeof contents)[])('fails with a reason: %s', async (name) => {
    const [code, content] = contents[name];
    const { status, error } = await checked(await content());
    expect([status, error?.code]).toEqual(['failed', code]);
  });

  it('keeps no more of a text than a cell may have, and fails its row', async () => {
    const giant = `<row>${cell('grace@example.com')}${cell('G'.repeat(20_000_000))}${cell('Hopper')}</row>`;
    const found = await checked(await workbook(head + ada + giant));
    expect([found.error, found.counts]).toMatchObject([null, { rows: 2, valid: 1, invalid: 1 }]);
    const [field] = found.preview[1].errors;
    expect([field.field, field.message]).toEqual(['firstName', 'Must be at most 10000 characters']);
  });

  it('ignores empty cells and cells without a name, also in the last column of a sheet', async () => {
    const sparse = ada.replace('</row>', '<c r="XFD1"/></row>') + '<row><c r="XFD1"/></row>'.repeat(50_000);
    const beyond = '<row><c r="XFD1"><v>1</v></c></row>'.repeat(2);
    const found = await checked(await workbook(head + sparse + beyond));
    expect([found.error, found.counts.rows]).toEqual([null, 3]);
  });

  it('numbers rows by their place if the file gives them numbers that no sheet has', async () => {
    const odd = ['-5', 'NaN', '9007199254740993', '1.5'].map((number) => ada.replace('<row', `<row r="${number}"`));
    const found = await checked(await workbook(head + odd.join('')));
    expect(found.preview.map(({ row }: { row: number }) => row)).toEqual([2, 3, 4, 5]);
  });

  it('does not read a pattern of a date format longer than spreadsheet programs write it', async () => {
    const formats = `<numFmts>${`<numFmt numFmtId="170" formatCode="${'['.repeat(60_000)}"/>`.repeat(150)}</numFmts>`;
    const more = { 'xl/styles.xml': `<styleSheet>${formats}</styleSheet>` };
    expect((await checked(await workbook(head + ada, { more }))).counts.valid).toBe(1);
  });
});

it('reads two files at a time in a process, and the others after them', async () => {
  const release = files.hold();
  const api = service.as();
  const csv = 'email,firstName,lastName\nada@example.com,Ada,Lovelace\n';
  const imports = [];
  for (let count = 0; count < 4; count++)
    imports.push((await api.createLeadImport({ body: { fileId: files.add(csv) } })).data.id);
  await until('two files are read', () => files.reading() === 2);
  // Analyses that find the reader busy come back later.
  await until('the others are scheduled again', async () => (await waiting(api)) === 2);
  expect(files.reading()).toBe(2);
  release();
  for (const id of imports) expect((await ended(api, id)).counts.valid).toBe(1);
});

async function waiting(api: Api) {
  const [row] = await service.sqlWithin(
    api.caller,
    `SELECT count(*)::int AS jobs FROM platform.job
    WHERE name = 'analyse-import' AND state = 'waiting' AND due_at > now()`,
  );
  return row?.['jobs'] as number;
}
