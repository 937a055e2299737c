import { createIdCodec } from '@tandem/ids';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import { toCsv } from '@tandem/service';
import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  anonymous,
  publicUrl,
  publish,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startPartner();
});
afterAll(() => service?.close());

interface Entry {
  type?: string;
  amount: number;
  currency?: string;
  at: string;
  paidAt?: string;
  cancelledAt?: string;
  status?: string;
  reason?: string;
}

/** Inserts commissions with past dates, and their statements. */
async function recorded(api: Api, partnerId: string, entries: Entry[]) {
  for (const entry of entries) {
    const { type = 'earned', amount, currency = 'EUR', at, paidAt = null, cancelledAt = null, reason = null } = entry;
    const status = entry.status ?? (cancelledAt ? 'cancelled' : paidAt ? 'paid' : 'pending');
    await service.sqlWithin(
      api.caller,
      `INSERT INTO commission (partner_id, type, amount_minor, currency, created_at, paid_at, cancelled_at, status, reason)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [partnerId, type, amount, currency, at, paidAt, cancelledAt, status, reason],
    );
    for (const moment of [at, paidAt, cancelledAt])
      if (moment)
        await service.sqlWithin(
          api.caller,
          'INSERT INTO statement (partner_id, period, currency) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          [partnerId, new Date(moment).toISOString().slice(0, 7), currency],
        );
  }
}

const history: Entry[] = [
  { amount: 10_010, at: '2026-01-31T23:59:59.999Z', paidAt: '2026-03-01T00:00:00Z' },
  { amount: 20_020, at: '2026-02-01T00:00:00Z' },
  { amount: 3, at: '2026-02-28T12:00:00Z' },
  { type: 'adjustment', amount: -1_000, at: '2026-03-02T00:00:00Z', reason: '=HYPERLINK("x"), "sorry"' },
  { type: 'clawback', amount: -10_010, at: '2026-03-31T23:59:59Z' },
  { amount: 999, at: '2026-03-05T00:00:00Z', status: 'cancelled' },
  { amount: 500, currency: 'JPY', at: '2026-03-05T00:00:00Z' },
];

async function aPartnerWith(entries: Entry[]) {
  const api = service.as();
  const { id } = await anApprovedPartner(api);
  await recorded(api, id, entries);
  return { api, id, params: { id } };
}

const follow = (url: string) =>
  anonymous(service).serveStatement({ params: { token: url.slice(`${publicUrl}/v1/public/statements/`.length) } });

describe('listCommissionStatements', () => {
  it('carries balances forward from month to month without rounding errors', async () => {
    const { api, params } = await aPartnerWith(history);
    const { status, data, body } = await api.listCommissionStatements({ params, query: { sort: 'period' } });
    expect([status, body.pagination?.total]).toEqual([200, 4]);
    const euros = data.filter((one: { currency: string }) => one.currency === 'EUR');
    expect(euros).toMatchObject([
      {
        periodStart: '2026-01-01T00:00:00.000Z',
        periodEnd: '2026-02-01T00:00:00.000Z',
        commissionCount: 1,
        openingBalance: 0,
        earned: 100.1,
        adjustments: 0,
        clawbacks: 0,
        paid: 0,
        closingBalance: 100.1,
      },
      { openingBalance: 100.1, earned: 200.23, paid: 0, closingBalance: 300.33, commissionCount: 2 },
      {
        openingBalance: 300.33,
        earned: 0,
        adjustments: -10,
        clawbacks: -100.1,
        paid: 100.1,
        commissionCount: 2,
        closingBalance: 90.13,
        status: 'final',
        partnerId: params.id,
      },
    ]);
    const yen = data.find((one: { currency: string }) => one.currency === 'JPY');
    expect(yen).toMatchObject({ openingBalance: 0, earned: 500, closingBalance: 500 });
    expect(new Set(data.map(({ id }: { id: string }) => id)).size).toBe(4);
  });

  it('keeps a final month unchanged on cancellation, and adjusts the month of the cancellation', async () => {
    const before: Entry[] = [
      { amount: 10_000, at: '2026-01-10T00:00:00Z' },
      { amount: 5_000, at: '2026-01-20T00:00:00Z' },
      { amount: 700, at: '2026-03-05T00:00:00Z' },
    ];
    const [kept, cancelled] = [await aPartnerWith(before), await aPartnerWith([])];
    await recorded(
      cancelled.api,
      cancelled.id,
      before.map((entry, n) => (n === 1 ? { ...entry, cancelledAt: '2026-03-07T00:00:00Z' } : entry)),
    );
    const januaries = await Promise.all(
      [kept, cancelled].map(async ({ api, params }) => {
        const { data } = await api.listCommissionStatements({ params, query: { period: '2026-01' } });
        const { id, partnerId, downloadUrl, pdfUrl, downloadUrlExpiresAt, generatedAt, ...sums } = data[0];
        const lines = (await follow(downloadUrl)).text
          .split('\r\n')
          .map((line) => line.replace(/,[A-Za-z0-9]{16,17},/, ','));
        return { sums, amounts: lines.map((line) => line.split(',')[7]) };
      }),
    );
    expect(januaries[1]).toEqual(januaries[0]);
    const { api, params } = cancelled;
    const [march] = (await api.listCommissionStatements({ params, query: { period: '2026-03' } })).data;
    expect(march).toMatchObject({
      openingBalance: 150,
      earned: 7,
      adjustments: -50,
      closingBalance: 107,
      commissionCount: 1,
    });
    const { text } = await follow(march.downloadUrl);
    expect(text).toMatch(/^2026-03-07T00:00:00.000Z,[A-Za-z0-9]+,cancellation,cancelled,,,,-50,EUR,$/m);
  });

  it('filters by month and status, and paginates', async () => {
    const { api, params } = await aPartnerWith([...history, { amount: 700, at: new Date().toISOString() }]);
    const periods = async (query: Record<string, string>) =>
      (await api.listCommissionStatements({ params, query })).data.map(
        ({ periodStart, currency }: { periodStart: string; currency: string }) =>
          `${periodStart.slice(0, 7)} ${currency}`,
      );
    expect(await periods({ period: '2026-03' })).toEqual(['2026-03 JPY', '2026-03 EUR']);
    expect(await periods({ status: 'open' })).toEqual([`${new Date().toISOString().slice(0, 7)} EUR`]);
    expect(await periods({ status: 'final' })).toHaveLength(4);
    expect(await periods({ limit: '2', page: '2' })).toEqual(['2026-03 EUR', '2026-02 EUR']);
    expect((await api.listCommissionStatements({ params, query: { status: 'open' } })).data[0]).toMatchObject({
      status: 'open',
      openingBalance: 90.13,
      earned: 7,
      closingBalance: 97.13,
    });
    for (const period of ['2026-13', '2026', 'march'])
      expect((await api.listCommissionStatements({ params, query: { period } })).status).toBe(422);
  });

  it('is isolated between tenants', async () => {
    const { params, api } = await aPartnerWith(history);
    expect((await service.as().listCommissionStatements({ params })).status).toBe(404);
    const { id } = await anApprovedPartner(api);
    expect((await api.listCommissionStatements({ params: { id } })).data).toEqual([]);
  });
});

describe('the months of statements', () => {
  it.each([
    ['Europe/Berlin', '2026-03', '2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z'],
    ['America/New_York', '2026-03', '2026-03-01T05:00:00.000Z', '2026-04-01T04:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-03', '2026-02-28T10:00:00.000Z', '2026-03-31T10:00:00.000Z'],
  ])('are those of the time zone of the tenant: %s', async (zone, period, start, end) => {
    const [first, after] = [Date.parse(start), Date.parse(end)];
    const at = (time: number) => new Date(time).toISOString();
    const { api, id, params } = await aPartnerWith([]);
    await service.sqlWithin(api.caller, 'INSERT INTO time_zone_change (timezone, version, since) VALUES ($1, 1, $2)', [
      zone,
      '2026-01-01T00:00:00Z',
    ]);
    await recorded(api, id, [
      { amount: 1, at: at(first - 1), paidAt: at(first) },
      { amount: 20, at: at(first) },
      { amount: 300, at: at(after - 1), cancelledAt: at(after) },
      { amount: 4_000, at: at(after) },
    ]);
    for (const month of ['2026-02', '2026-03', '2026-04'])
      await service.sqlWithin(
        api.caller,
        "INSERT INTO statement (partner_id, period, currency) VALUES ($1, $2, 'EUR') ON CONFLICT DO NOTHING",
        [id, month],
      );
    const { data } = await api.listCommissionStatements({ params, query: { period } });
    expect(data[0]).toMatchObject({
      periodStart: start,
      periodEnd: end,
      openingBalance: 0.01,
      earned: 3.2,
      paid: 0.01,
      closingBalance: 3.2,
    });
    const lines = (await follow(data[0].downloadUrl)).text.split('\r\n').slice(1, -1);
    expect(lines.map((line) => line.split(',')[7])).toEqual(['-0.01', '0.2', '3']);
    const listed = await api.listPartnerCommissions({ params, query: { period } });
    expect(listed.data.map(({ amount }: { amount: number }) => amount)).toEqual([3, 0.2]);
  });

  it('follow a change of the time zone from then on, and an older event has no effect', async () => {
    const { api, params } = await aPartnerWith(history);
    const sums = async () =>
      (await api.listCommissionStatements({ params, query: { status: 'final', sort: 'period' } })).data.map(
        ({ downloadUrl, pdfUrl, downloadUrlExpiresAt, generatedAt, ...sum }: Record<string, string>) => sum,
      );
    const before = await sums();
    const tenantAt = (version: number, timezone: string) => {
      const settings = { timezone, locale: 'en', currency: 'EUR' };
      const plain = { id: `${api.caller.tenantId}`, name: 'A', slug: 'a', plan: 'pro', status: 'active' };
      const record = {
        ...plain,
        settings,
        version,
        createdAt: '2026-01-01T00:00:00Z',
        updatedAt: '2026-01-01T00:00:00Z',
      };
      return { name: 'tenant.updated', data: { tenantId: record.id }, record };
    };
    const zones = () =>
      service.sqlWithin(api.caller, 'SELECT timezone, version FROM time_zone_change ORDER BY since, id');
    await publish(service, api, tenantAt(3, 'Pacific/Kiritimati'));
    await until('the zone is known', async () => (await zones()).length === 1);
    await publish(service, api, tenantAt(2, 'Europe/Berlin'));
    await publish(service, api, tenantAt(4, 'America/New_York'));
    await until('the next zone is known', async () => (await zones()).length === 2);
    expect((await zones()).map(({ timezone }) => timezone)).toEqual(['Pacific/Kiritimati', 'America/New_York']);
    expect(await sums()).toEqual(before);
  });
});

describe('the statement CSV', () => {
  it('is served without credentials, with public ids and escaped formulas', async () => {
    const { api, params } = await aPartnerWith(history);
    const [statement] = (await api.listCommissionStatements({ params, query: { period: '2026-03' } })).data.filter(
      ({ currency }: { currency: string }) => currency === 'EUR',
    );
    const seconds = (new Date(statement.downloadUrlExpiresAt).getTime() - Date.now()) / 1_000;
    expect(Math.abs(seconds - 900)).toBeLessThan(60);
    const { status, text, headers } = await follow(statement.downloadUrl);
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers['content-disposition']).toMatch(/^attachment; filename="statement-2026-03-EUR.csv"/);
    const [head, payment, adjustment, earned, cancelled, clawback, ...rest] = text.split('\r\n');
    expect(head).toBe('date,commissionId,entry,status,opportunityId,basisAmount,rate,amount,currency,reason');
    expect(payment).toMatch(/^2026-03-01T00:00:00.000Z,[A-Za-z0-9]{16,17},payment,paid,,,,-100.1,EUR,$/);
    expect(adjustment).toMatch(/,adjustment,unpaid,,,,-10,EUR,"'=HYPERLINK\(""x""\), ""sorry"""$/);
    // Recorded and cancelled in this month: both entries are shown, neither is counted.
    expect(earned).toMatch(/,earned,cancelled,,,,9.99,EUR,$/);
    expect(cancelled).toMatch(/,cancellation,cancelled,,,,-9.99,EUR,$/);
    expect(clawback).toMatch(/,clawback,unpaid,,,,-100.1,EUR,$/);
    expect(rest).toEqual(['']);
    const ids = createIdCodec(process.env.IDS_ALPHABET as string);
    const code = payment?.split(',')[1] as string;
    expect(ids.decode('commission', api.caller.tenantId as number, code)).toBeGreaterThan(0);
  });

  it('of a final statement stays the same when commissions of it are held, cancelled and paid later', async () => {
    const { api, params } = await aPartnerWith(history);
    const ofMarch = async () => {
      const { data } = await api.listCommissionStatements({ params, query: { period: '2026-03' } });
      const statement = data.find(({ currency }: { currency: string }) => currency === 'EUR');
      return (await follow(statement.downloadUrl)).text;
    };
    const before = await ofMarch();
    const { data } = await api.listPartnerCommissions({ params, query: { type: 'adjustment' } });
    const one = { params: { cid: data[0].id } };
    await api.holdCommission({ ...one, body: { reason: 'An internal check' } });
    expect(await ofMarch()).toBe(before);
    expect((await api.cancelCommission({ ...one, body: { reason: 'A mistake' } })).status).toBe(200);
    expect(await ofMarch()).toBe(before);
    const period = new Date().toISOString().slice(0, 7);
    const [current] = (await api.listCommissionStatements({ params, query: { period } })).data;
    expect((await follow(current.downloadUrl)).text).toMatch(/,cancellation,cancelled,,,,10,EUR,A mistake\r\n$/);
  });

  it('contains each entry once across pages, in order of time, and adds up to the closing balance', async () => {
    const { api, id, params } = await aPartnerWith([{ amount: 1, at: '2026-03-31T23:00:00Z' }]);
    // Three entries per timestamp, so that page boundaries fall between equal timestamps.
    await service.sqlWithin(
      api.caller,
      `INSERT INTO commission (partner_id, amount_minor, currency, created_at, paid_at, status)
       SELECT $1, 100, 'EUR', at, CASE WHEN n = 1 THEN at END, CASE WHEN n = 1 THEN 'paid' ELSE 'pending' END
       FROM generate_series(timestamptz '2026-03-01Z', '2026-03-01T00:12:00Z', '1 second') AS at, generate_series(1, 3) AS n`,
      [id],
    );
    const [statement] = (await api.listCommissionStatements({ params, query: { period: '2026-03' } })).data;
    const { text } = await follow(statement.downloadUrl);
    const lines = text.split('\r\n').slice(1, -1);
    expect(lines).toHaveLength(721 * 4 + 1);
    expect(new Set(lines).size).toBe(lines.length);
    const column = (n: number) => lines.map((line) => line.split(',')[n] as string);
    expect(column(0)).toEqual(column(0).toSorted());
    expect(column(7).reduce((sum, amount) => sum + Math.round(Number(amount) * 100), 0)).toBe(721 * 200 + 1);
    expect(statement.closingBalance).toBe((721 * 200 + 1) / 100);
  });

  it('returns 404 for expired and forged links', async () => {
    const { api, params } = await aPartnerWith(history);
    const { tenantId } = api.caller;
    const links = createLinkTokens<object>(createSeal(process.env.ENCRYPTION_KEY as string), 'statements');
    const what = { tenantId, environment: 'live', partnerId: Number(params.id), period: '2026-03', currency: 'EUR' };
    const link = (until: number) => `${publicUrl}/v1/public/statements/${links.issue(what, new Date(until))}`;
    expect((await follow(link(Date.now() + 60_000))).status).toBe(200);
    const { status, body } = await follow(link(Date.now() - 1));
    expect([status, body.code]).toEqual([404, 'link_expired']);
    expect((await follow(`${publicUrl}/v1/public/statements/${'a'.repeat(80)}`)).status).toBe(404);
  });
});

describe('toCsv', () => {
  it('quotes where needed, keeps numbers, and escapes formulas', () => {
    expect(
      toCsv([
        ['a', null, -1.5, 'x,y'],
        ['=1+1', '+1', '-x', '@x'],
        ['\tx', 'say "hi"', 'two\nlines', '\n=1+1'],
      ]),
    ).toBe(`a,,-1.5,"x,y"\r\n'=1+1,'+1,'-x,'@x\r\n'\tx,"say ""hi""","two\nlines","'\n=1+1"\r\n`);
  });
});
