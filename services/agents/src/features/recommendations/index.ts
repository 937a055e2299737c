import type { recommendations } from '@tandem/agents-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { acceptRecommendation } from './accept-recommendation.ts';
import { dismissRecommendation } from './dismiss-recommendation.ts';
import { listRecommendations } from './list-recommendations.ts';

export const recommendationHandlers = (tools: Tools) =>
  ({
    listRecommendations: listRecommendations(tools),
    acceptRecommendation: acceptRecommendation(tools),
    dismissRecommendation: dismissRecommendation(tools),
  }) satisfies Handlers<typeof recommendations, Tx>;
