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

/**
 * Erases what mentions the person in a bounded number of rows of a table, in one transaction.
 * @param inside.after the key of the last row that was read before; empty at the beginning
 * @returns the numbers of erased records by kind, and the key to continue after; null at the end of the table
 */
export type Sweep<Tx> = (
  inside: Erasing<Tx> & { after: readonly number[] },
) => Promise<{ erased: Record<string, number>; next: number[] | null }>;

/** The personal data of a service: what an erasure removes, and what an export returns. */
export interface PersonalData<Tx> {
  /**
   * Erases one batch of the data of a person in one transaction, and runs again until all counts are 0. Must be
   * repeatable: it runs a second time for events that were still on their way.
   * @returns the numbers of records that were deleted or anonymized, by kind
   */
  erase(inside: Erasing<Tx>): Promise<Record<string, number>>;
  /** Walks through tables that have no index for mentions of a person, after `erase`. Must be repeatable too. */
  sweeps?: readonly Sweep<Tx>[];
  /**
   * Records of the person that an erasure must not remove yet, by kind and reason. They are counted at the end of the
   * erasure, and are part of its report.
   */
  kept?(inside: Pick<Erasing<Tx>, 'tx' | 'person'>): Promise<Record<string, number>>;
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
    /** The sweep that is next, after which key; the batches of `erase` come before the first sweep. */
    sweep: z.int(),
    after: z.array(z.int()),
  }),
};
const beforeSweeps = { sweep: -1, after: [] };
type ErasePayload = z.output<typeof erasePersonJob.payload>;

// Longer than events of the person take that were emitted before the erasure: they would bring values back.
const lateMs = 30_000;

/**
 * The part of a service in erasures and exports: the consumer and the job that erase its data of a person and report it,
 * and the handler of `exportPerson`. Messages to the person in the mail table are removed without being declared.
 */
export function personalData<Tx extends { sql: Sql }>(
  service: PersonalDataService,
  { erase, sweeps = [], kept, read }: PersonalData<Tx>,
) {
  const erasePersons = consumer({
    name: 'erase-persons',
    on: [personalDataErasureRequested],
    async handle(events, { schedule }: ConsumerContext<Tx>) {
      const asked = events.filter(({ data: { services } }) => services.includes(service));
      const payloads = asked.map(({ record, data: { person } }) => ({
        erasureId: record.id,
        person,
        erased: {},
        isLate: false,
        ...beforeSweeps,
      }));
      await schedule(erasePersonJob, payloads);
    },
  });

  const sweepAt = (sweep: number) => (sweep < sweeps.length ? { sweep, after: [] } : undefined);

  /** One batch or one part of a sweep; what comes next, unless it was the last one. */
  async function step({ sweep, after }: ErasePayload, erasing: Erasing<Tx>) {
    const walk = sweeps[sweep];
    if (!walk) {
      const counts = { ...(await erase(erasing)), mails: await eraseMails(erasing.tx, erasing.person) };
      const isDone = Object.values(counts).every((count) => count === 0);
      return { counts, next: isDone ? sweepAt(0) : beforeSweeps };
    }
    const { erased: counts, next } = await walk({ ...erasing, after });
    return { counts, next: next ? { sweep, after: next } : sweepAt(sweep + 1) };
  }

  const erasePerson = job({
    ...erasePersonJob,
    async run({ payload, scope, finish }: JobContext<ErasePayload, Tx>) {
      const { erasureId, person, isLate } = payload;
      await finish(async (inside) => {
        const { counts, next } = await step(payload, { ...inside, person, tenantId: scope.tenantId });
        const erased = sum(payload.erased, counts);
        if (next) {
          await inside.schedule(erasePersonJob, [{ ...payload, ...next, erased }]);
        } else if (isLate) {
          const report = sum(erased, (await kept?.({ tx: inside.tx, person })) ?? {});
          inside.emit(personalDataErased, { data: { service, erased: report }, record: { id: erasureId } });
        } else {
          const late = { ...payload, ...beforeSweeps, erased, isLate: true };
          await inside.schedule(erasePersonJob, [late], new Date(Date.now() + lateMs));
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
 * A regular expression for texts that contain an e-mail address or a phone number of the person, or one of the public
 * ids, each as a whole: `lee@acme.com` is not in `ashlee@acme.com`. For `~*` of PostgreSQL, also on JSON as text. It finds
 * records of other people too who share the address.
 */
export function addressPattern({ emails, phones }: Person, codes: readonly string[] = []): string {
  return anyOf([...emails.map(wholeAddress), ...phones.filter(isLong).map(wholeWord), ...codes.map(wholeWord)]);
}

/**
 * As `addressPattern`, and for texts with the full name, or with one of the words. Names are not unique: only for records
 * that are known to be about the person.
 */
export function mentionPattern(person: Person, words: readonly string[] = []): string {
  return anyOf([addressPattern(person), ...[...person.names, ...words].map(wholeWord)]);
}

/** The test of `addressPattern` or `mentionPattern` in JavaScript. */
export function mentionTest(pattern: string): (text: string) => boolean {
  const expression = new RegExp(pattern.replaceAll('[:alnum:]', '\\p{L}\\p{N}'), 'iu');
  return (text) => expression.test(text);
}

// Shorter numbers occur by chance.
const phoneDigitsMin = 7;

function isLong(phone: string): boolean {
  return phone.replace(/\D/g, '').length >= phoneDigitsMin;
}

// JSON as text has line breaks and tabs as `\n` and `\t`: their letter does not belong to the word that follows.
function wholeAddress(text: string): string {
  return `(^|\\\\[nrt]|[^[:alnum:]._%+'-])${escaped(text)}($|[^[:alnum:]._-]|[._-]($|[^[:alnum:]]))`;
}

function wholeWord(text: string): string {
  return `(^|\\\\[nrt]|[^[:alnum:]])${escaped(text)}($|[^[:alnum:]])`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

// An empty expression would match every text.
const never = '$.^';

function anyOf(patterns: readonly string[]): string {
  return patterns.join('|') || never;
}
