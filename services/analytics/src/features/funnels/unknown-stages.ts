import type { Caller } from '@tandem/caller';
import type { FieldError } from '@tandem/contract';
import { asService } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';

interface Stages {
  steps: readonly { stage?: string | undefined }[];
  exclude?: readonly { stage?: string | undefined }[] | undefined;
}

/** The stages of a funnel that no pipeline has, and that no opportunity entered before they were removed. */
export async function unknownStages(
  { crm }: Pick<Peers, 'crm'>,
  { steps, exclude = [] }: Stages,
  { caller, tx }: { caller: Caller; tx: Tx },
): Promise<FieldError[]> {
  const named = [...stagesOf('steps', steps), ...stagesOf('exclude', exclude)];
  if (!named.length) return [];
  const { codes } = await crm.readStageCodes({ body: {}, as: asService(caller) });
  const unknown = named.filter(({ stage }) => !codes.includes(stage));
  const removed = unknown.length ? await enteredOf(tx, unknown) : [];
  return unknown
    .filter(({ stage }) => !removed.includes(stage))
    .map(({ field }) => ({ field, message: `Must be one of ${codes.join(', ')}` }));
}

function stagesOf(list: string, entries: Stages['steps']) {
  return entries.flatMap(({ stage }, index) =>
    stage === undefined ? [] : [{ field: `${list}.${index}.stage`, stage }],
  );
}

async function enteredOf(tx: Tx, stages: { stage: string }[]): Promise<string[]> {
  const values = [...new Set(stages.map(({ stage }) => stage))];
  const rows = await tx.sql<{ value: string }>`
    SELECT value FROM unnest(${values}::text[]) AS value
    WHERE EXISTS (SELECT FROM step WHERE type = 'opportunity' AND step.value = value.value)`;
  return rows.map(({ value }) => value);
}
