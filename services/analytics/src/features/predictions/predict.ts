import type { LeadPrediction } from '@tandem/analytics-contract';
import type { z } from 'zod';
import { featureOf, features, type Profile, rowOf } from './columns.ts';
import { partsOf, sigmoid } from './model.ts';
import { effectOf, type UsedModel } from './models.ts';

type Prediction = z.output<typeof LeadPrediction>;

const hotFrom = 70;
const warmFrom = 40;

/** What a model predicts for a lead, with what each feature contributes. */
export function predict({ name, version, source, model }: UsedModel, profile: Profile, scoredAt: Date): Prediction {
  const parts = partsOf(model, rowOf(profile));
  const contributions = new Map<string, number>();
  // A lead has one source, but also the parts of not having the others.
  for (const [column, part] of parts)
    contributions.set(featureOf(column), (contributions.get(featureOf(column)) ?? 0) + part);
  const factors = features
    .filter((feature) => contributions.has(feature.name))
    .map((feature) => {
      const contribution = contributions.get(feature.name) as number;
      const text = `${feature.wordsOf(profile)}: ${effectOf(contribution)}`;
      return { feature: feature.name, value: feature.valueOf(profile), contribution, text };
    })
    .sort((one, other) => Math.abs(other.contribution) - Math.abs(one.contribution));
  const logOdds = factors.reduce((sum, { contribution }) => sum + contribution, model.base);
  const probability = sigmoid(logOdds);
  const score = Math.round(probability * 100);
  return {
    ...{ leadId: profile.leadId, model: name, score, probability, band: bandOf(score) },
    ...{ base: model.base, factors, modelVersion: version, source, scoredAt },
  };
}

function bandOf(score: number): Prediction['band'] {
  if (score >= hotFrom) return 'hot';
  return score >= warmFrom ? 'warm' : 'cold';
}
