import { readFile } from 'node:fs/promises';
import { validateXML } from 'xmllint-wasm';
import { type BankPayment, toPain001 } from './bank-files.ts';

const reference = 'VtsalIyBgUReczN01';
const payer = { name: 'Tandem Müller GmbH & Co. KG', iban: 'DE89370400440532013000' };
const at = new Date('2026-03-31T22:00:00Z');

const payment = (amountMinor: number, fields: Partial<BankPayment['account']> = {}): BankPayment => ({
  reference,
  partner: 'R2kQj1FfnErWTVph',
  amountMinor,
  currency: 'EUR',
  account: { holder: 'Joan Clarke', iban: 'FR1420041010050500013M02606', bic: null, ...fields },
});

async function errorsOf(xml: string) {
  const schema = await readFile(new URL('pain-001.xsd', import.meta.url), 'utf8');
  const { errors } = await validateXML({
    xml: [{ fileName: 'payout.xml', contents: xml }],
    schema: [{ fileName: 'pain-001.xsd', contents: schema }],
  });
  return errors.map(({ message }) => message);
}

describe('the pain.001 file', () => {
  it('is valid by the schema, with long ids, names outside of Latin, and the smallest and largest amounts', async () => {
    const payments = [
      payment(1),
      payment(99_999_999_999, { holder: 'Jürgen Größe & Søn <script>'.repeat(4).slice(0, 70) }),
      payment(1_250, { holder: '山田太郎' }),
    ];
    const xml = toPain001(payments, { id: `${reference}-2147483647`, payer, at });
    expect(await errorsOf(xml)).toEqual([]);
    expect(xml).toContain('<CtrlSum>1000000012.50</CtrlSum>');
    expect(xml.match(/<InstdAmt Ccy="EUR">/g)).toHaveLength(3);
    expect(xml).toContain(`<EndToEndId>${reference}</EndToEndId>`);
  });

  it('would not be valid with an id or an amount that the schema does not have', async () => {
    const long = toPain001([payment(1)], { id: 'x'.repeat(36), payer, at });
    expect(await errorsOf(long)).toContainEqual(expect.stringContaining("maximum length of '35'"));
    const short = toPain001([payment(1)], { id: 'x', payer, at });
    expect(await errorsOf(short.replace('"EUR">0.01<', '"EUR">0.00<'))).toContainEqual(
      expect.stringContaining('InstdAmt'),
    );
  });
});
