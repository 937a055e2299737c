import type { recommendations } from '@tandem/agents-contract';
import type { Handler } from '../../handler.ts';
import { decide } from './recommendation.ts';

export const dismissRecommendation: Handler<typeof recommendations.dismissRecommendation> = ({
  params,
  body,
  ...context
}) => decide(context, params.id, { status: 'dismissed', dismissReason: body.reason ?? null });
