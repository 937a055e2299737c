import type { Recommendation } from '@tandem/agents-contract';
import type { InternalLead } from '@tandem/crm-contract';
import type { z } from 'zod';

type Lead = z.output<typeof InternalLead>;

/** A lead with the actions that an experienced salesperson would accept. */
export interface Case {
  about: string;
  lead: Partial<Lead> & { ageDays: number };
  accepted: readonly z.output<typeof Recommendation>['action'][];
}

/** Cases by which prompts, models and rules are compared. Add one for every wrong recommendation that is reported. */
export const cases: readonly Case[] = [
  { about: 'a new lead from the web', lead: { ageDays: 0 }, accepted: ['email', 'call'] },
  { about: 'a new lead with a high score', lead: { ageDays: 0, score: 75 }, accepted: ['call'] },
  { about: 'a new referral', lead: { ageDays: 1, source: 'referral' }, accepted: ['call'] },
  { about: 'a referral without a phone', lead: { ageDays: 1, source: 'referral', phone: null }, accepted: ['email'] },
  { about: 'a high score without a phone', lead: { ageDays: 2, score: 80, phone: null }, accepted: ['email'] },
  { about: 'an old lead with a low score', lead: { ageDays: 60, score: 5 }, accepted: ['nurture'] },
  { about: 'a very old lead', lead: { ageDays: 400, score: 20 }, accepted: ['nurture'] },
  { about: 'an old lead with a high score', lead: { ageDays: 60, score: 70 }, accepted: ['call'] },
  { about: 'an unqualified lead', lead: { ageDays: 10, status: 'unqualified' }, accepted: ['nurture'] },
  {
    about: 'an unqualified lead with a high score',
    lead: { ageDays: 3, status: 'unqualified', score: 90 },
    accepted: ['nurture', 'change_status'],
  },
  {
    about: 'a qualified lead with a high score',
    lead: { ageDays: 5, status: 'qualified', score: 85 },
    accepted: ['convert'],
  },
  {
    about: 'a qualified lead with a low score',
    lead: { ageDays: 5, status: 'qualified', score: 30 },
    accepted: ['create_task', 'call'],
  },
  {
    about: 'an old qualified lead',
    lead: { ageDays: 90, status: 'qualified', score: 40 },
    accepted: ['create_task', 'call', 'email'],
  },
  {
    about: 'a contacted lead',
    lead: { ageDays: 4, status: 'contacted', score: 20 },
    accepted: ['create_task', 'email'],
  },
  {
    about: 'a warm contacted lead',
    lead: { ageDays: 4, status: 'contacted', score: 60 },
    accepted: ['call', 'create_task'],
  },
  {
    about: 'a contacted lead that went quiet',
    lead: { ageDays: 45, status: 'contacted', score: 10 },
    accepted: ['nurture', 'create_task'],
  },
];
