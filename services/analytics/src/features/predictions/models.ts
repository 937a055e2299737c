import { PredictionModel } from '@tandem/analytics-contract';
import type { z } from 'zod';
import type { PredictionModel as ModelRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { columnInWords } from './columns.ts';
import { Model } from './model.ts';
import { rulesModel, rulesVersion } from './rules.ts';

type Shown = z.output<typeof PredictionModel>;
type Name = Shown['name'];

/** A model with which leads are scored. */
export interface UsedModel extends Pick<Shown, 'name' | 'version' | 'source'> {
  model: Model;
}

/** The active version of a model, or the rules. */
export async function readActiveModel(tx: Tx, name: Name): Promise<UsedModel> {
  const row = await tx.predictionModel.findFirst({ where: { name, state: 'active' } });
  if (!row) return { name, version: rulesVersion, source: 'rules', model: rulesModel };
  return { name, version: row.version, source: 'trained', model: Model.parse(row.model) };
}

const columns = PredictionModel.pick({ name: true, state: true, metrics: true });

/** Converts a row to the contract's `PredictionModel`. */
export function asModel(row: ModelRow): Shown & { id: number } {
  const { id, version, reason, trainedAt } = row;
  return {
    ...{ id, version, reason, trainedAt },
    ...columns.parse(row),
    source: 'trained',
    calibration: PredictionModel.shape.calibration.parse(row.calibration ?? []),
    features: row.model === null ? [] : weightsOf(Model.parse(row.model)),
  };
}

/** The rules as a version of a model. */
export function rulesAs(name: Name, state: 'active' | 'replaced'): Shown {
  return {
    ...{ id: null, name, version: rulesVersion, source: 'rules', state, reason: null },
    ...{ metrics: null, calibration: [], features: weightsOf(rulesModel), trainedAt: null },
  };
}

function weightsOf({ columns: all }: Model): Shown['features'] {
  return all
    .map(({ name, weight }) => ({ feature: name, weight, text: `${columnInWords(name)}: ${effectOf(weight)}` }))
    .sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight));
}

/** What a weight or a contribution means. */
export function effectOf(weight: number): string {
  if (Math.abs(weight) < 0.005) return 'no influence';
  return weight > 0 ? 'more likely to convert' : 'less likely to convert';
}
