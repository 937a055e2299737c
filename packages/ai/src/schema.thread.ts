import { serveTasks } from '@tandem/workers/serve';
import { checkAnswer } from './check-answer.ts';
import { smallestInstance } from './schema.ts';
import { SchemaError } from './schema-error.ts';

const tasks = {
  /** The smallest value that fits a schema. */
  read(schema: unknown): { smallest: unknown } | { refusal: string } {
    try {
      return { smallest: smallestInstance(schema) };
    } catch (error) {
      if (error instanceof SchemaError) return { refusal: error.message };
      throw error;
    }
  },
  /** The value in a model's answer, or why it does not fit. */
  check: checkAnswer,
};

export type SchemaTasks = typeof tasks;

serveTasks(tasks);
