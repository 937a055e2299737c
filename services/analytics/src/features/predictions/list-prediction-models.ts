import { ModelName, type predictions } from '@tandem/analytics-contract';
import type { Handler } from '../../handler.ts';
import { asModel, rulesAs } from './models.ts';

export const listPredictionModels: Handler<typeof predictions.listPredictionModels> = async ({ tx }) => {
  const rows = await tx.predictionModel.findMany({ orderBy: [{ name: 'asc' }, { version: 'desc' }] });
  return ModelName.options.flatMap((name) => {
    const versions = rows.filter((row) => row.name === name).map(asModel);
    const isReplaced = versions.some(({ state }) => state === 'active');
    return [...versions, rulesAs(name, isReplaced ? 'replaced' : 'active')];
  });
};
