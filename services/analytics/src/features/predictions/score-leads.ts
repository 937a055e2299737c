import { type LeadPrediction, predictionCompleted, type predictions } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { bulkErrors, knownErrors } from '@tandem/contract';
import { asService, reachOf } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { readActiveModel, type UsedModel } from './models.ts';
import { predict } from './predict.ts';
import { readProfiles } from './profiles.ts';
import { visibleLeads } from './visible-leads.ts';

type Prediction = z.output<typeof LeadPrediction>;
type Reply = z.output<typeof predictions.scoreLeads.reply>;

interface Scored {
  reply: Reply;
  model: UsedModel;
}

interface Problem {
  code: string;
  message: string;
}

const notFound: Problem = { code: 'not_found', message: knownErrors.not_found[1] };
const duplicate: Problem = { code: 'duplicate_in_request', message: bulkErrors.duplicate_in_request[1] };

// The scores are stored by another service, before the transaction of the request: a repetition stores the same ones.
export const scoreLeads = (tools: Tools): Handler<typeof predictions.scoreLeads, Scored> => ({
  async check({ body, caller, tx }) {
    const ids = body.leadIds.map((text) => tools.ids.decode('lead', caller.tenantId as number, text));
    const known = [...new Set(ids.filter((id) => id !== undefined))];
    const model = await readActiveModel(tx, body.model ?? 'conversion');
    const found = await predictAll(tx, await visibleLeads(tools, known, caller), model);
    const refused = body.persist ? await persist(tools, found, { model, caller, tx }) : new Map<number, Problem>();
    const results = body.leadIds.map((text, index) => {
      const id = ids[index];
      const prediction = id === undefined ? undefined : found.get(id);
      const isRepeated = id !== undefined && ids.indexOf(id) < index;
      const problem = isRepeated ? duplicate : prediction ? refused.get(prediction.leadId) : notFound;
      const error = problem ? { ...problem, errors: [] } : null;
      return { leadId: text, success: !error, error, prediction: isRepeated ? null : (prediction ?? null) };
    });
    const failed = results.filter(({ success }) => !success).length;
    return { reply: { succeeded: results.length - failed, failed, results }, model };
  },
  async run({ body, caller, emit, found: { reply, model } }) {
    const { succeeded, failed } = reply;
    const used = { model: model.name, modelVersion: model.version, source: model.source };
    emit(predictionCompleted, {
      data: { ...used, succeeded, failed, persisted: body.persist ?? false },
      record: { id: caller.tenantId as number },
    });
    return reply;
  },
});

async function predictAll(tx: Tx, leadIds: number[], model: UsedModel): Promise<Map<number, Prediction>> {
  const now = new Date();
  const profiles = await readProfiles(tx, leadIds, now);
  return new Map(profiles.map((profile) => [profile.leadId, predict(model, profile, now)]));
}

/** Sets the scores of the leads in crm, in the versions that were scored; returns why it refused some of them. */
async function persist(
  { crm }: Tools,
  found: Map<number, Prediction>,
  { model, caller, tx }: { model: UsedModel; caller: Caller; tx: Tx },
): Promise<Map<number, Problem>> {
  if (!found.size) return new Map();
  const facts = await tx.leadFact.findMany({ where: { id: { in: [...found.keys()] } } });
  const scores = facts.map(({ id, version }) => ({ leadId: id, version, score: (found.get(id) as Prediction).score }));
  const by = model.source === 'rules' ? 'by its rules' : `in version ${model.version}`;
  const results = await crm.setPredictedScores({
    body: { scores, reason: `Predicted by the model ${model.name} ${by}` },
    as: asService(caller, reachOf(caller, 'leads:write')),
  });
  return new Map(results.flatMap(({ leadId, error }) => (error ? [[leadId, error] as const] : [])));
}
