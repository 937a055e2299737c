import type { recommendations } from '@tandem/agents-contract';
import type { Handler } from '../../handler.ts';
import { decide } from './recommendation.ts';

export const acceptRecommendation: Handler<typeof recommendations.acceptRecommendation> = ({ params, ...context }) =>
  decide(context, params.id, { status: 'accepted' });
