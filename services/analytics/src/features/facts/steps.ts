import type { Tx } from '../../handler.ts';

/** A status that a lead had since a time, or a stage that an opportunity was in. */
export interface Step {
  type: 'lead' | 'opportunity';
  recordId: number;
  at: Date;
  value: string;
}

/** Stores steps; one that is known already changes nothing. */
export async function addSteps(tx: Tx, steps: readonly Step[]): Promise<void> {
  if (steps.length) await tx.step.createMany({ data: [...steps], skipDuplicates: true });
}
