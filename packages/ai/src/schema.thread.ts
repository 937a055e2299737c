import { serveTasks } from '@tandem/workers/serve';
import { checkResponse } from './check-response.ts';
import { smallestInstance } from './schema.ts';
import { SchemaError } from './schema-error.ts';

const tasks = {
  /** Compiles a schema and builds the smallest value that fits it. */
  read(schema: unknown): { smallest: unknown } | { error: string } {
    try {
      return { smallest: smallestInstance(schema) };
    } catch (error) {
      if (error instanceof SchemaError) return { error: error.message };
      throw error;
    }
  },
  /** Parses and validates a model's response. */
  check: checkResponse,
};

export type SchemaTasks = typeof tasks;

serveTasks(tasks);
