import {
  ErasedCounts,
  exportSectionMax,
  Person,
  type PersonalDataService,
  personalDataErased,
  personalDataErasureRequested,
  type personalDataOperations,
  type StoredSection,
  walkIds,
} from '@tandem/contract';
import { type Consumer, type ConsumerContext, consumer, type Emit, type Schedule } from '@tandem/events';
import { type Job, type JobContext, job } from '@tandem/jobs';
import type { Sql } from '@tandem/tenant-db';
import { z } from 'zod';
import type { Handler } from './handler.ts';

/** The transaction of one batch of an erasure. */
export interface Erasing<Tx> {
  tx: Tx;
  emit: Emit;
  schedule: Schedule;
  person: Person;
  tenantId: number;
}

/** The personal data of a service: what an erasure removes, and what an export returns. */
export interface PersonalData<Tx> {
  /**
   * Erases one batch of the data of a person in one transaction, and runs again until all counts are 0. Must be
   * repeatable: it runs a second time for events that were still on their way.
   * @returns the numbers of records that were deleted or anonymized, by kind
   */
  erase(inside: Erasing<Tx>): Promise<Record<string, number>>;
  /** The data of a person, by kind; `exportSection` makes a section. */
  read(inside: { tx: Tx; person: Person; tenantId: number }): Promise<StoredSection[]>;
}

const erasePersonJob = {
  name: 'erase-person',
  payload: z.object({
    erasureId: z.int(),
    person: Person,
    erased: ErasedCounts,
    /** Whether it is the second run. */
    isLate: z.boolean(),
  }),
};
type ErasePayload = z.output<typeof erasePersonJob.payload>;

// Longer than events of the person take that were emitted before the erasure: they would bring values back.
const lateMs = 30_000;

/**
 * The part of a service in erasures and exports: the consumer and the job that erase its data of a person and report it,
 * and the handler of `exportPerson`. Messages to the person in the mail table are removed without being declared.
 */
export function personalData<Tx extends { sql: Sql }>(service: PersonalDataService, { erase, read }: PersonalData<Tx>) {
  const erasePersons = consumer({
    name: 'erase-persons',
    on: [personalDataErasureRequested],
    async handle(events, { schedule }: ConsumerContext<Tx>) {
      const payloads = events.map(({ record, data: { person } }) => ({
        erasureId: record.id,
        person,
        erased: {},
        isLate: false,
      }));
      await schedule(erasePersonJob, payloads);
    },
  });

  const erasePerson = job({
    ...erasePersonJob,
    async run({ payload, finish }: JobContext<ErasePayload, Tx>) {
      const { erasureId, person, isLate } = payload;
      await finish(async (inside) => {
        const tenantId = await currentTenant(inside.tx);
        const counts = {
          ...(await erase({ ...inside, person, tenantId })),
          mails: await eraseMails(inside.tx, person),
        };
        const erased = sum(payload.erased, counts);
        if (Object.values(counts).some((count) => count > 0)) {
          await inside.schedule(erasePersonJob, [{ ...payload, erased }]);
        } else if (isLate) {
          inside.emit(personalDataErased, { data: { service, erased }, record: { id: erasureId } });
        } else {
          await inside.schedule(erasePersonJob, [{ ...payload, erased, isLate: true }], new Date(Date.now() + lateMs));
        }
      });
    },
  });

  const exportPerson: Handler<typeof personalDataOperations.exportPerson, Tx> = async ({ body, caller, tx }) => ({
    sections: await read({ tx, person: body.person, tenantId: caller.tenantId as number }),
  });

  return {
    consumers: [erasePersons] as unknown as Consumer<never, Tx>[],
    jobs: [erasePerson] as unknown as Job<never, Tx>[],
    handlers: { exportPerson },
  };
}

/**
 * A section of the export.
 * @param rows.find reads at most the given number of records; they are encoded by the schema
 */
export async function exportSection<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  rows: { count(): PromiseLike<number>; find(max: number): PromiseLike<z.output<Schema>[]> },
): Promise<StoredSection> {
  const records = await rows.find(exportSectionMax);
  const total = records.length < exportSectionMax ? records.length : await rows.count();
  const encoded = records.map((record) => z.encode(schema, record) as Record<string, unknown>);
  return { name, total, records: encoded, ids: walkIds(schema).map(({ path, type }) => ({ path: [...path], type })) };
}

async function currentTenant({ sql }: { sql: Sql }): Promise<number> {
  const [row] = await sql<{ id: number }>`SELECT platform.tenant_id() AS id`;
  return (row as { id: number }).id;
}

function sum(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  const added = Object.entries(other).flatMap(([kind, count]) => (count ? [[kind, (one[kind] ?? 0) + count]] : []));
  return { ...one, ...Object.fromEntries(added) };
}

/** Messages that were not sent yet are not sent. */
async function eraseMails({ sql }: { sql: Sql }, { emails }: Person): Promise<number> {
  const rows = await sql`DELETE FROM platform.mail WHERE lower(recipient) = ANY(${emails}::text[]) RETURNING id`;
  return rows.length;
}

/**
 * Patterns for ILIKE ANY: a text that matches one mentions the person by e-mail address, full name or phone number.
 * Short numbers are left out, because they occur by chance.
 */
export function mentionsOf({ emails, names, phones }: Person): string[] {
  const texts = [...emails, ...names, ...phones.filter((phone) => phone.replace(/\D/g, '').length >= phoneDigitsMin)];
  return texts.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`);
}
const phoneDigitsMin = 7;
