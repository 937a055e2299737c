import { buffer } from 'node:stream/consumers';
import type { crm } from '@tandem/crm-contract';
import { toXlsx } from '@tandem/exports';
import type { Cell } from '@tandem/service';
import { identityPeer, type TestService, until } from '@tandem/testing';
import yazl from 'yazl';
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

async function checked(content: string | Buffer, body: object = {}) {
  const api = service.as();
  const { data } = await api.createLeadImport({ body: { fileId: files.add(content), ...body } });
  return until('the import is checked', async () => {
    const { data: found } = await api.getLeadImport({ params: { id: data.id } });
    return ['validated', 'failed'].includes(found.status) && found;
  });
}

const text = 'E-Mail;Vorname;Nachname;Firma\r\njürgen@example.com;Jürgen;"Groß; ""Dr."""\r\n';
const table = text.replaceAll(';', ',').replace('"Groß, ', '"Groß; ');

it.each([
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`), 'utf-8', ';'],
  ['UTF-8 with line feeds', Buffer.from(text.replaceAll('\r\n', '\n')), 'utf-8', ';'],
  ['Windows-1252', Buffer.from(text, 'latin1'), 'windows-1252', ';'],
  ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16le', ';'],
  ['UTF-16 without one', Buffer.from(table, 'utf16le'), 'utf-16le', ','],
  ['UTF-16 in big-endian order', Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 'utf-16be', ';'],
  ['tabs', Buffer.from(text.replaceAll(/;(?! )/g, '\t')), 'utf-8', '\t'],
  ['commas', Buffer.from(table), 'utf-8', ','],
  ['a separator that Excel names', Buffer.from(`sep=;\r\n${text}`), 'utf-8', ';'],
])('reads a CSV file with %s', async (_, content, encoding, delimiter) => {
  const found = await checked(content);
  expect([found.error, found.format]).toEqual([null, { type: 'csv', encoding, delimiter }]);
  expect(found.columns).toEqual(['E-Mail', 'Vorname', 'Nachname', 'Firma']);
  expect(found.preview[0].values).toEqual({
    email: 'jürgen@example.com',
    firstName: 'Jürgen',
    lastName: 'Groß; "Dr."',
  });
});

it('reads 200 columns, rows of different lengths, and names that are missing or occur twice', async () => {
  const names = ['email', 'name', '', 'name', ...Array.from({ length: 196 }, (_, index) => `c${index}`)];
  const found = await checked(
    `${names}\na@example.com,Ada Lovelace\nb@example.com,"Hopper, Grace",x,${'y,'.repeat(300)}\n`,
  );
  expect([found.columns.length, ...found.columns.slice(2, 5)]).toEqual([200, 'Column 3', 'name (2)', 'c0']);
  expect(found.counts).toMatchObject({ rows: 2, valid: 2 });
  expect(found.preview[1].values).toEqual({ email: 'b@example.com', fullName: 'Hopper, Grace' });
});

it('reads numbers as they are written in several countries', async () => {
  const scores = { '"12,5"': 12.5, '12.5': 12.5, '"0,125"': 0.125, '"1,000"': 1_000, '"1.000,5"': 1_000.5, '1 0': 10 };
  const rows = Object.keys(scores).map((score, index) => `s${index}@example.com,A,B,${score}`);
  const found = await checked(`email,vorname,nachname,score\n${rows.join('\n')}\n`);
  // Those above 100 are numbers, but no scores.
  expect(
    found.preview.map(({ errors }: { errors: { message: string }[] }) => errors.map(({ message }) => message)),
  ).toEqual(Object.values(scores).map((score) => (score > 100 ? ['Must be at most 100'] : [])));
});

it('reads the first sheet of an XLSX file: shared and formatted text, stored results of formulas, days and empty cells', async () => {
  const head =
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>Nachname</t></is></c><c r="D1" t="str"><f>A1</f><v>Geburtstag</v></c><c r="F1" t="inlineStr"><is><t>score</t></is></c></row>';
  const row =
    '<row r="3"><c r="A3" t="s"><v>2</v></c><c r="B3" t="str"><f>HYPERLINK("http://x","Ada")</f><v>Ada</v></c><c r="C3" t="inlineStr"><is><r><t>Love</t></r><r><t>lace</t></r></is></c><c r="D3" s="2"><v>45718</v></c><c r="F3"><f>6*7</f><v>42</v></c></row>';
  const shared =
    '<si><t>E-Mail</t></si><si><r><t>Vor</t></r><r><t>name</t></r><rPh><t>x</t></rPh></si><si><t>ada@example.com</t></si>';
  const found = await checked(await workbook(head + row, { shared }), {
    mapping: {
      'E-Mail': 'email',
      Vorname: 'firstName',
      Nachname: 'lastName',
      Geburtstag: 'customFields.birthday',
      score: 'score',
    },
  });
  expect([found.error, found.format]).toEqual([null, { type: 'xlsx', encoding: null, delimiter: null }]);
  expect(found.columns).toEqual(['E-Mail', 'Vorname', 'Nachname', 'Geburtstag', 'Column 5', 'score']);
  expect(found.preview).toEqual([
    {
      row: 3,
      values: {
        email: 'ada@example.com',
        firstName: 'Ada',
        lastName: 'Lovelace',
        'customFields.birthday': '2025-03-02',
        score: '42',
      },
      errors: [],
    },
  ]);
});

it('reads the files that an export writes', async () => {
  async function* pages(): AsyncIterable<Cell[][]> {
    yield [['email', 'firstName', 'lastName', 'score']];
    yield [['ada@example.com', 'A<d>a & "Co"', '=1+1', 7.5]];
  }
  const found = await checked(await buffer(toXlsx(pages())));
  expect(found.preview[0].values).toEqual({
    email: 'ada@example.com',
    firstName: 'A<d>a & "Co"',
    lastName: '=1+1',
    score: '7.5',
  });
});

it('refuses archives that are no workbook, damaged, or too large when they are unpacked', async () => {
  const fails = async (content: Buffer) => (await checked(content)).error;
  const zip = new yazl.ZipFile();
  zip.addBuffer(Buffer.from('x'), 'a.txt');
  zip.end();
  const invalid = { code: 'unreadable_file', message: 'The file is not a valid XLSX file' };
  expect(await fails(await buffer(zip.outputStream))).toEqual(invalid);
  const whole = await workbook('<row r="1"><c r="A1"><v>1</v></c></row>');
  expect(await fails(whole.subarray(0, whole.length - 40))).toEqual(invalid);
  const bomb = await workbook('', { shared: `<si><t>${'a'.repeat(61_000_000)}</t></si>` });
  expect((await fails(bomb))?.code).toBe('too_large');
});
