import { serveTasks } from '@tandem/workers/serve';
import { PackageError } from './package-error.ts';
import { type ReadPackage, readPackage } from './read-package.ts';

const tasks = {
  read: (path: string): Promise<ReadPackage | { refused: string }> =>
    readPackage(path).catch((error: unknown) => {
      if (error instanceof PackageError) return { refused: error.message };
      throw error;
    }),
};

export type PackageTasks = typeof tasks;

serveTasks(tasks);
