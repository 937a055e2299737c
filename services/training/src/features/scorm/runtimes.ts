import { ScormRuntime } from '@tandem/training-contract';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { Runtime } from './verdict.ts';

/** The stored data of attempts at packages; only the last attempt at each lesson has them. */
export async function readRuntimes(tx: Tx, enrollmentId: number, attemptIds: number[]): Promise<Map<number, Runtime>> {
  if (!attemptIds.length) return new Map();
  const rows = await tx.scormState.findMany({ where: { enrollmentId, attemptId: { in: attemptIds } } });
  return new Map(
    rows.flatMap(({ attemptId, runtime }) =>
      runtime === null ? [] : [[attemptId, z.decode(ScormRuntime, runtime as z.input<typeof ScormRuntime>)] as const],
    ),
  );
}
