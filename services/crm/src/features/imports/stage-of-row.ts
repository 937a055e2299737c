import type { IdCodec } from '@tandem/ids';
import { named } from './definitions.ts';
import type { RowContext, Texts } from './target.ts';

/** Puts the pipeline and the stage that a row names by code or name into the body, or the error. */
export function putStage(
  body: Record<string, unknown>,
  { pipeline: pipelineText, stage: stageText }: Texts,
  { defined: { pipelines, statuses }, ids, tenantId, errors }: RowContext & { ids: IdCodec },
): void {
  const pipeline = pipelineText === undefined ? undefined : pipelineOf(pipelines, pipelineText, { ids, tenantId });
  if (pipelineText && !pipeline) {
    errors.push({ field: 'pipeline', message: `No pipeline with this name; there are ${namesOf(pipelines)}` });
    return;
  }
  if (pipeline) body['pipelineId'] = String(pipeline.id);
  if (!stageText) return;
  const wanted = pipeline ?? pipelines.find(({ isDefault }) => isDefault);
  const inPipeline = statuses.filter(({ pipelineId }) => pipelineId === wanted?.id);
  const elsewhere = pipeline ? [] : statuses.filter(({ pipelineId }) => pipelineId !== wanted?.id);
  const stage = named(inPipeline, stageText) ?? named(elsewhere, stageText);
  if (!stage)
    errors.push({ field: 'stage', message: `No stage with this code or name; there are ${openNames(inPipeline)}` });
  else if (stage.isClosed)
    errors.push({ field: 'stage', message: `Deals are won and lost after the import; use ${openNames(inPipeline)}` });
  else body['stageId'] = String(stage.id);
}

function pipelineOf(
  pipelines: RowContext['defined']['pipelines'],
  text: string,
  { ids, tenantId }: { ids: IdCodec; tenantId: number },
) {
  const folded = text.toLowerCase();
  const id = ids.decode('pipeline', tenantId, text);
  return pipelines.find((one) => one.id === id) ?? pipelines.find(({ name }) => name.toLowerCase() === folded);
}

const namedMax = 10;

function namesOf(all: readonly { name: string }[]): string {
  const names = all.slice(0, namedMax).map(({ name }) => name);
  return `${names.join(', ')}${all.length > namedMax ? ` and ${all.length - namedMax} more` : ''}`;
}

function openNames(stages: readonly { name: string; isClosed: boolean }[]): string {
  return namesOf(stages.filter(({ isClosed }) => !isClosed));
}
