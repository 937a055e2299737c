import { randomUUID } from 'node:crypto';
import { event } from '@tandem/contract';
import { Lead, leadCreated, leadDeleted } from '@tandem/crm-contract';
import { type Consumer, consumer, PermanentError } from '@tandem/events';
import { createService, type RunningService } from '@tandem/service';
import { testService, type testSettings, until } from '@tandem/testing';
import { z } from 'zod';
import { aLead, alone } from './crm.test-service.ts';
import { crmService } from './service.ts';

// Two releases of a service run side by side: their instances share database, queue and inbox.

const name = 'listening';
const retryDelaysMs = [20, 40, 80, 160];

type Settings = Awaited<ReturnType<typeof testSettings>>;
// biome-ignore lint/suspicious/noExplicitAny: each release consumes events of its own types.
type AnyConsumer = Consumer<any, any>;
const release = (settings: Settings, consuming: AnyConsumer, deferralMaxMs = 600_000) => ({
  ...crmService({ ...settings, ...alone }),
  consumers: [consuming],
  eventTimings: { retryDelaysMs, deferralMaxMs },
});

let close: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of close.toReversed()) await end();
  close = [];
});

/** One instance of the first release, and a function that starts an instance of another one beside it. */
async function startFirst(consuming: AnyConsumer, deferralMaxMs?: number) {
  let settings: Settings | undefined;
  const service = await testService('crm', (given) => {
    settings = given;
    return release(given, consuming, deferralMaxMs);
  });
  close.push(service.close);
  const startBeside = async (other: AnyConsumer): Promise<RunningService> => {
    const running = createService(release(settings as Settings, other, deferralMaxMs));
    close.push(running.close);
    await until('the other release has its queue', running.consuming);
    return running;
  };
  return { service, startBeside };
}

const deferredEvents = /^tandem_events_deferred_total\{.*\} [1-9]/m;

describe('a release that adds an event to a consumer', () => {
  it('gets all of those events while the old release shares its queue', async () => {
    const created: number[] = [];
    const deleted: number[] = [];
    const old = consumer({
      name,
      on: [leadCreated],
      async handle(events) {
        created.push(...events.map(({ record }) => record.id));
      },
    });
    const next = consumer({
      name,
      on: [leadCreated, leadDeleted],
      async handle(events) {
        for (const { name: what, record } of events) (what === 'lead.deleted' ? deleted : created).push(record.id);
      },
    });
    const { service, startBeside } = await startFirst(old);
    await startBeside(next);
    const api = service.as();
    const leads = 30;
    for (let lead = 0; lead < leads; lead++) {
      const { data } = await api.createLead({ body: aLead({}) });
      await api.deleteLead({ params: { id: data.id } });
    }
    await until('every event is handled', () => deleted.length >= leads && created.length >= leads);
    expect([new Set(created).size, created.length]).toEqual([leads, leads]);
    expect([new Set(deleted).size, deleted.length]).toEqual([leads, leads]);
    expect(await service.deadLetters(name)).toEqual([]);
  });

  it('leaves dead letters with a reason when it was rolled back for longer than the limit', async () => {
    const known: string[] = [];
    const old = consumer({
      name,
      on: [leadCreated],
      async handle(events) {
        known.push(...events.map((one) => one.name));
      },
    });
    const { service, startBeside } = await startFirst(old, 1_000);
    const next = await startBeside(consumer({ name, on: [leadCreated, leadDeleted], async handle() {} }));
    await next.close();
    close.pop();
    const api = service.as();
    const { data } = await api.createLead({ body: aLead({}) });
    await api.deleteLead({ params: { id: data.id } });
    const [letter] = await until('it is a dead letter', async () => {
      const letters = await service.deadLetters(name);
      return letters.length > 0 && letters;
    });
    expect(letter).toMatchObject({ name: 'lead.deleted', reason: 'unknown_event', attempts: 1 });
    expect(known).toEqual(['lead.created']);
  });
});

describe('a release that changes the contract of an event', () => {
  const { name: eventName, whenMissing, ...asBefore } = leadCreated;
  const archiving = event(eventName, {
    ...asBefore,
    record: Lead.extend({ status: z.enum(['new', 'archived']) }),
  });
  const statuses = (seen: string[], of: typeof leadCreated | typeof archiving) =>
    consumer({
      name,
      on: [of],
      async handle(events) {
        seen.push(...events.map(({ record }) => record.status));
      },
    });
  /** Publishes a lead.created as another release writes it. */
  const publishAs = async (
    service: Awaited<ReturnType<typeof startFirst>>['service'],
    schema: string | undefined,
    change: (record: Record<string, unknown>) => object,
  ) => {
    await service.as().createLead({ body: aLead({}) });
    const sent = await until('an event is sent', () => service.events.findLast((one) => one.name === 'lead.created'));
    const id = randomUUID();
    const record = change(sent.record as Record<string, unknown>);
    await service.publish('lead.created', { ...sent, id, record, ...(schema && { schema }) }, id);
  };

  it('with a new enum value: the old one hands the event back until the new one takes it', async () => {
    const [byOld, byNew]: [string[], string[]] = [[], []];
    const { service, startBeside } = await startFirst(statuses(byOld, leadCreated));
    await publishAs(service, 'next-release', (record) => ({ ...record, status: 'archived' }));
    await until('it was handed back', async () => deferredEvents.test(await service.opsPage('/metrics')));
    await startBeside(statuses(byNew, archiving));
    await until('the new release has it', () => byNew.includes('archived'));
    expect(byOld).not.toContain('archived');
    expect(await service.deadLetters(name)).toEqual([]);
  });

  it('with a new required field: the value that the contract declares stands for it in older events', async () => {
    const rated = event(eventName, {
      ...asBefore,
      record: Lead.extend({ rating: z.int() }),
      whenMissing: { record: { rating: 3 } },
    });
    const seen: unknown[] = [];
    const { service } = await startFirst(
      consumer({
        name,
        on: [rated],
        async handle(events) {
          seen.push(...events.map(({ record }) => record.rating));
        },
      }),
    );
    await publishAs(service, undefined, (record) => ({ ...record, unknownField: 'ignored' }));
    await until('both are read', () => seen.length === 2);
    expect(seen).toEqual([3, 3]);
  });

  it('an event that is malformed under its own contract is a dead letter at once', async () => {
    const seen: string[] = [];
    const { service } = await startFirst(statuses(seen, leadCreated));
    await publishAs(service, undefined, (record) => ({ ...record, status: 'archived' }));
    const [letter] = await until('it is a dead letter', async () => {
      const letters = await service.deadLetters(name);
      return letters.length > 0 && letters;
    });
    expect(letter).toMatchObject({ reason: 'unreadable', attempts: 1 });
  });
});

it('two instances on one database and one queue: each event is handled once, whichever relay sends it', async () => {
  const handled: string[] = [];
  const make = (label: string) =>
    consumer({
      name,
      on: [leadCreated],
      async handle(events) {
        for (const { data } of events) if (data.email === 'bad@example.com') throw new PermanentError('never');
        handled.push(...events.map(({ id }) => `${label} ${id}`));
      },
    });
  const { service, startBeside } = await startFirst(make('first'));
  await startBeside(make('second'));
  const leads = 60;
  const create = async () => {
    const api = service.as();
    for (let lead = 0; lead < leads / 6; lead++) expect((await api.createLead({ body: aLead({}) })).status).toBe(201);
  };
  await Promise.all(Array.from({ length: 6 }, create));
  await service.as().createLead({ body: aLead({ email: 'bad@example.com' }) });
  await until('the bad event is a dead letter', async () => (await service.deadLetters(name)).length === 1);
  await until('the others are handled', () => {
    if (handled.length < leads) throw new Error(`${handled.length} of ${leads}`);
    return true;
  });
  expect(new Set(handled.map((line) => line.split(' ')[1])).size).toBe(leads);
  expect(handled).toHaveLength(leads);
});
