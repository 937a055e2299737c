import { createWorkers, TaskTooLongError } from '@tandem/workers';
import type { Checked } from './check-response.ts';
import type { SchemaTasks } from './schema.thread.ts';
import { SchemaError } from './schema-error.ts';

/** A customer's JSON Schema that was compiled and can be used. */
export interface ReadSchema {
  /** The smallest value that fits. */
  smallest: unknown;
  /** Parses a model's response, which must be JSON that matches. */
  check(response: string): Promise<Checked>;
}

/** Customers' JSON Schemas. They are processed in worker threads, because that can take exponential time. */
export interface Schemas {
  /**
   * @param tenantId whose share of the threads it uses
   * @throws SchemaError with the faults of the schema
   * @throws ShareTimeoutError when the threads or the machine are too busy
   */
  read(schema: object, tenantId: number | undefined): Promise<ReadSchema>;
  close(): Promise<void>;
}

// Three times what the largest schema of 64 KB takes.
const cpuMs = 250;

/** Creates the pool of schema threads, which start with the first schema. */
export function createSchemas(): Schemas {
  const workers = createWorkers<SchemaTasks>(new URL('./schema.thread.ts', import.meta.url), { cpuMs });
  return {
    async read(schema, tenantId) {
      const read = await tooLong(workers.run('read', schema, tenantId), () => ({
        error: 'Is too complex to validate; use fewer alternatives and references',
      }));
      if ('error' in read) throw new SchemaError(read.error);
      return {
        smallest: read.smallest,
        check: (response) =>
          tooLong<Checked>(workers.run('check', { schema, response }, tenantId), () => ({
            faults: ['Validating the value takes too long; make it smaller'],
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
    if (error instanceof TaskTooLongError) return instead();
    throw error;
  }
}
