import { createWorkers, TaskTooLong } from '@tandem/workers';
import type { Checked } from './check-answer.ts';
import type { SchemaTasks } from './schema.thread.ts';
import { SchemaError } from './schema-error.ts';

/** A customer's JSON Schema that was read and found usable. */
export interface ReadSchema {
  /** The smallest value that fits. */
  smallest: unknown;
  /** Reads a model's answer, which must be JSON that fits. */
  check(answer: string): Promise<Checked>;
}

/** Customers' JSON Schemas. All work on them is done in worker threads: it can take exponential time. */
export interface Schemas {
  /**
   * @param tenantId whose share of the threads it takes
   * @throws SchemaError with what is wrong with the schema
   * @throws ShareTimeout when the threads or the machine are too busy
   */
  read(schema: object, tenantId: number | undefined): Promise<ReadSchema>;
  close(): Promise<void>;
}

// Three times what the largest schema of 64 KB takes.
const cpuMs = 250;

/** Reads customers' JSON Schemas in threads that start with the first one. */
export function createSchemas(): Schemas {
  const workers = createWorkers<SchemaTasks>(new URL('./schema.thread.ts', import.meta.url), { cpuMs });
  return {
    async read(schema, tenantId) {
      const read = await tooLong(workers.run('read', schema, tenantId), () => ({
        refusal: 'Is too complex to check; use fewer alternatives and references',
      }));
      if ('refusal' in read) throw new SchemaError(read.refusal);
      return {
        smallest: read.smallest,
        check: (answer) =>
          tooLong<Checked>(workers.run('check', { schema, answer }, tenantId), () => ({
            faults: ['The value takes too long to check; make it smaller'],
          })),
      };
    },
    close: workers.close,
  };
}

async function tooLong<T>(work: Promise<T>, instead: () => T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TaskTooLong) return instead();
    throw error;
  }
}
