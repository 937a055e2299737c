import { serveTasks } from '@tandem/workers/serve';
import { checkAnswer } from './check-answer.ts';
import { smallestInstance } from './schema.ts';
import { SchemaError } from './schema-error.ts';

const tasks = {
  /** Compiles a schema and builds the smallest value that fits it. */
  read(schema: unknown): { smallest: unknown } | { refusal: string } {
    try {
      return { smallest: smallestInstance(schema) };
    } catch (error) {
      if (error instanceof SchemaError) return { refusal: error.message };
      throw error;
    }
  },
  /** Parses and validates a model's answer. */
  check: checkAnswer,
};

export type SchemaTasks = typeof tasks;

serveTasks(tasks);
