import { PDFDocument } from '@cantoo/pdf-lib';
import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  anonymous,
  aPeer,
  type Peer,
  publicUrl,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';

let peer: Peer;
let service: Service;
beforeAll(async () => {
  peer = await aPeer();
  service = await startPartner(peer);
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

const monthStart = (offset: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString();
};
const lastMonth = { periodStart: monthStart(-1), periodEnd: monthStart(0), currency: 'EUR' };

/** Records a commission at a past time, as the release before the ledger did. */
const recordedAt = (api: Api, partnerId: string, at: string, minor: number) =>
  service.sqlWithin(
    api.caller,
    `INSERT INTO commission (partner_id, amount_minor, currency, created_at) VALUES ($1, $2, 'EUR', $3)`,
    [partnerId, minor, at],
  );

/** Runs work while the clock of the process shows another time. */
async function withClock<Result>(time: Date, work: () => Promise<Result>): Promise<Result> {
  const real = globalThis.Date;
  globalThis.Date = new Proxy(real, {
    construct: (target, values) => (values.length ? Reflect.construct(target, values) : new target(time)),
    get: (target, name) => (name === 'now' ? () => time.getTime() : Reflect.get(target, name)),
  });
  try {
    return await work();
  } finally {
    globalThis.Date = real;
  }
}

const earn = async (api: Api, partnerId: string) => {
  const body = { amount: 5, currency: 'EUR', description: 'Event' };
  expect((await api.createCommission({ params: { id: partnerId }, body })).status).toBe(201);
};

async function aStatement() {
  const api = service.as();
  const { id } = await anApprovedPartner(api, { firstName: 'Άδα', lastName: '山', company: 'Engines & Søn' });
  const { status, data } = await api.createCommissionStatement({ params: { id }, body: lastMonth });
  expect(status).toBe(201);
  return { api, id, statement: data, params: { id, sid: data.id } };
}

describe('a statement', () => {
  it('is created for a month without activity, once', async () => {
    const { api, id, statement, params } = await aStatement();
    expect(statement).toMatchObject({ ...lastMonth, earned: 0, closingBalance: 0, commissionCount: 0, partnerId: id });
    const again = await api.createCommissionStatement({ params: { id }, body: lastMonth });
    expect([again.status, again.body.code]).toEqual([409, 'statement_exists']);
    const { data } = await api.getCommissionStatement({ params });
    const { downloadUrl, pdfUrl, downloadUrlExpiresAt, generatedAt, ...fields } = data;
    expect(statement).toMatchObject(fields);
    const foreign = await anApprovedPartner(api);
    expect((await api.getCommissionStatement({ params: { ...params, id: foreign.id } })).status).toBe(404);
    expect((await service.as().getCommissionStatement({ params })).status).toBe(404);
  });

  it.each<[string, object]>([
    ['periodStart', { periodStart: monthStart(1), periodEnd: monthStart(2) }],
    ['periodStart', { periodStart: new Date(Date.parse(monthStart(-1)) + 1).toISOString() }],
    ['periodEnd', { periodEnd: monthStart(1) }],
    ['currency', { currency: 'EURO' }],
  ])('is refused for a period that is no month: %s', async (field, fields) => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    const body = { ...lastMonth, ...fields };
    const reply = await api.createCommissionStatement({ params: { id }, body });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
  });

  it('has months in the time zone of the tenant', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    await service.sqlWithin(
      api.caller,
      "INSERT INTO time_zone_change (timezone, version, since) VALUES ('Asia/Tokyo', 1, '2020-01-01')",
    );
    const hoursBefore = (at: string) => new Date(Date.parse(at) - 9 * 3_600_000).toISOString();
    const body = {
      ...lastMonth,
      periodStart: hoursBefore(lastMonth.periodStart),
      periodEnd: hoursBefore(lastMonth.periodEnd),
    };
    const wrong = await api.createCommissionStatement({ params: { id }, body: lastMonth });
    expect(wrong.body.errors?.[0]).toMatchObject({
      field: 'periodStart',
      message: expect.stringContaining(body.periodStart),
    });
    expect((await api.createCommissionStatement({ params: { id }, body })).status).toBe(201);
  });

  it('is frozen when a person finalizes it: nothing is added to it afterwards', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    await recordedAt(api, id, lastMonth.periodStart, 700);
    const secondDay = new Date(Date.parse(monthStart(0)) + 36 * 3_600_000);
    const params = await withClock(secondDay, async () => {
      const [before] = (await api.listCommissionStatements({ params: { id } })).data;
      expect(before).toMatchObject({ earned: 7, commissionCount: 1, status: 'open' });
      const one = { id, sid: before.id };
      const reply = await api.finalizeCommissionStatement({ params: one });
      expect([reply.status, reply.data]).toMatchObject([200, { status: 'final', earned: 7 }]);
      expect(reply.data.finalizedAt).toBe(secondDay.toISOString());
      expect((await api.finalizeCommissionStatement({ params: one })).body.code).toBe('already_final');
      return one;
    });
    await until('the event arrives', () =>
      service.events.some(({ name, target }) => name === 'statement.finalized' && target.id === Number(params.sid)),
    );
    await recordedAt(api, id, lastMonth.periodStart, 900);
    expect((await api.getCommissionStatement({ params })).data).toMatchObject({ earned: 7, status: 'final' });
    const { data } = await api.listCommissionStatements({ params: { id }, query: { status: 'open' } });
    expect(data).toMatchObject([{ openingBalance: 7, earned: 9, closingBalance: 16 }]);
  });

  it('is finalized by itself five days after its month, with one event', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    await recordedAt(api, id, monthStart(-2), 700);
    const find = async () =>
      (await api.listCommissionStatements({ params: { id } })).data.find(
        ({ periodStart }: { periodStart: string }) => periodStart === monthStart(-2),
      );
    const { id: sid } = await find();
    const ofMonth = () =>
      service.events.filter(({ name, target }) => name === 'statement.finalized' && target.id === Number(sid));
    await earn(api, id);
    await until('the event arrives', () => ofMonth().length === 1);
    expect(ofMonth()).toMatchObject([
      {
        data: { statementId: sid, partnerId: id },
        record: { status: 'final', earned: 7, closingBalance: 7 },
        changes: { status: { from: 'open', to: 'final' } },
      },
    ]);
    const { data } = await api.getCommissionStatement({ params: { id, sid } });
    expect(data.finalizedAt).not.toBeNull();
    await earn(api, id);
    await until('the second commission is in a month with a job', async () => {
      const jobs = await service.sqlWithin(
        api.caller,
        "SELECT payload->>'period' AS period FROM platform.job WHERE name = 'finalize-statements-of-month'",
      );
      return jobs.length === 1 && jobs[0]?.period === new Date().toISOString().slice(0, 7);
    });
    expect(ofMonth()).toHaveLength(1);
  });

  it('is final at once if it is created for a month long ago', async () => {
    const api = service.as();
    const { id } = await anApprovedPartner(api);
    const body = { periodStart: monthStart(-3), periodEnd: monthStart(-2), currency: 'EUR' };
    const { data } = await api.createCommissionStatement({ params: { id }, body });
    expect([data.status, typeof data.finalizedAt]).toEqual(['final', 'string']);
    await until('the event arrives', () =>
      service.events.some(({ name, target }) => name === 'statement.finalized' && target.id === Number(data.id)),
    );
  });

  it('cannot be finalized before its month is over', async () => {
    const { api, id } = await aStatement();
    await earn(api, id);
    const { data } = await api.listCommissionStatements({ params: { id }, query: { status: 'open' } });
    const reply = await api.finalizeCommissionStatement({ params: { id, sid: data[0].id } });
    expect([reply.status, reply.body.code]).toEqual([409, 'period_not_over']);
  });

  it('is a PDF document too, with names in any letters', async () => {
    const { api, id } = await aStatement();
    const body = { amount: 1234.5, currency: 'EUR', description: 'Event' };
    await api.createCommission({ params: { id }, body });
    const { data } = await api.listCommissionStatements({ params: { id }, query: { status: 'open' } });
    const { data: detail } = await api.getCommissionStatement({ params: { id, sid: data[0].id } });
    const token = detail.pdfUrl.slice(`${publicUrl}/v1/public/statements/`.length);
    const { status, headers, body: bytes } = await anonymous(service).serveStatement({ params: { token } });
    expect([status, headers['content-type']]).toEqual([200, 'application/pdf']);
    const document = await PDFDocument.load(bytes as unknown as Uint8Array);
    expect(document.getTitle()).toMatch(/^Statement \d{4}-\d{2}, EUR: Άδα/);
    expect(document.getPageCount()).toBe(1);
  });
});
