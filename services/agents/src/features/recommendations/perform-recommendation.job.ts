import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { performAction } from '../actions/perform-action.ts';
import { asRecommendation, performJob, recordEffect } from './recommendation.ts';

const givenUp = { error: { code: 'given_up', message: 'The record could not be reached on every attempt' } };

/** Performs the action of an accepted recommendation through the service that owns the record. */
export const performRecommendation = (tools: Tools) =>
  job({
    ...performJob,
    async run({ payload, scope, tx, finish }: JobContext<z.output<typeof performJob.payload>, Tx>) {
      const id = payload.recommendationId;
      const row = await tx.recommendation.findFirst({ where: { id, status: 'accepted', effect: 'pending' } });
      const action = row && asRecommendation(row).proposal;
      if (!row || !action) return;
      const { leadId, decidedBy: userId, decidedAt } = row;
      const key = `agents-recommendation-${id}`;
      const decided = { action, leadId, userId, decidedAt: decidedAt as Date, key };
      const outcome = await performAction(tools, decided, scope);
      await finish((transaction) => recordEffect(transaction, { id }, outcome));
    },
    giveUp: ({ payload, ...transaction }) => recordEffect(transaction, { id: payload.recommendationId }, givenUp),
  });
