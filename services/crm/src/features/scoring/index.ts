import type { internalPredictedScores, leadScores, scoringRules } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createScoringRule } from './create-scoring-rule.ts';
import { deleteScoringRule } from './delete-scoring-rule.ts';
import { getLeadScore } from './get-lead-score.ts';
import { getScoringRule } from './get-scoring-rule.ts';
import { listLeadScoreHistory } from './list-lead-score-history.ts';
import { listScoringRules } from './list-scoring-rules.ts';
import { recalculateLeadScore } from './recalculate-lead-score.ts';
import { setLeadScore } from './set-lead-score.ts';
import { setPredictedScores } from './set-predicted-scores.ts';
import { updateScoringRule } from './update-scoring-rule.ts';

export const scoringHandlers = {
  getLeadScore,
  setLeadScore,
  setPredictedScores,
  recalculateLeadScore,
  listLeadScoreHistory,
  createScoringRule,
  listScoringRules,
  getScoringRule,
  updateScoringRule,
  deleteScoringRule,
} satisfies Handlers<typeof leadScores & typeof internalPredictedScores & typeof scoringRules, Tx>;
