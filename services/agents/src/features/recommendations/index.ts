import type { recommendations } from '@tandem/agents-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { acceptRecommendation } from './accept-recommendation.ts';
import { dismissRecommendation } from './dismiss-recommendation.ts';
import { listRecommendations } from './list-recommendations.ts';

export const recommendationHandlers = {
  listRecommendations,
  acceptRecommendation,
  dismissRecommendation,
} satisfies Handlers<typeof recommendations, Tx>;
