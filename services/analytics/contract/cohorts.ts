import { currency, id, operations, timestamp, timeZone, wholeNumber } from '@tandem/contract';
import { z } from 'zod';
import { Day, ListOfRecords, PeriodOfNumbers } from './fields.ts';
import { limitErrors, OfCohort } from './funnels.ts';

export const cohortsBy = ['created', 'first_touch', 'source'] as const;
export const cohortIntervals = ['day', 'week', 'month'] as const;
export const cohortMetrics = ['retained', 'converted', 'revenue'] as const;
const periodsMax = 24;
const periodsByDefault = 8;

/** The query of a cohort analysis, as it is also stored in reports. */
export const CohortQuery = z.object({
  cohortBy: z
    .enum(cohortsBy)
    .describe(
      'Which leads are one cohort: those created in one interval, those whose first engagement by a person was in one interval, or those with one source. The default is `created`',
    )
    .optional(),
  interval: z
    .enum(cohortIntervals)
    .describe('The length of the intervals of cohorts and periods; weeks begin on Monday. The default is `week`')
    .optional(),
  metric: z
    .enum(cohortMetrics)
    .describe(
      'What is counted in each period: leads with engagement by a person (`retained`, the default), leads that are converted, or the value of deals won',
    )
    .optional(),
  periods: wholeNumber(1, periodsMax)
    .describe(`The number of periods, from that in which a lead began; ${periodsByDefault} by default`)
    .optional(),
  dateFrom: Day.describe(
    'The first day on which leads begin; by default the day 89 days before the last one',
  ).optional(),
  dateTo: Day.describe('The last day on which leads begin; today by default').optional(),
  timezone: timeZone().describe('The time zone of the days; that of the tenant by default').optional(),
  currency: currency().describe('The currency of the deals that are summed; required for `revenue`').optional(),
  userId: id('user').describe('Count only leads that are assigned to this user now').optional(),
  teamId: id('team').describe('Count only leads of this team now').optional(),
  cohortId: OfCohort,
});

export const cohortPeriodsByDefault = periodsByDefault;

export const Cohorts = z.object({
  period: PeriodOfNumbers.describe('The days on which leads begin; whole intervals'),
  rows: z
    .array(
      z.object({
        cohort: z
          .string()
          .nullable()
          .meta({
            description: 'The first day of the interval, or the source; null for leads without a source',
            examples: ['2026-03-02'],
          }),
        size: z.int().meta({ description: 'The number of leads', examples: [120] }),
        sizes: z
          .array(z.int())
          .meta({
            description: 'For `source`: of how many of the leads each period has ended, which `values` counts',
            examples: [[120, 110, 97, 0]],
          })
          .optional(),
        values: z.array(z.number().nullable()).meta({
          description:
            'The leads or the value in each period, from that in which the leads began; null for a period that has not ended, for `source` of any of the leads',
          examples: [[120, 48, 31, null]],
        }),
      }),
    )
    .describe('The cohorts in order of time; sources in order of their sizes'),
  lists: z
    .array(ListOfRecords)
    .describe('The lists with the leads of the cohorts, where one exists and you can read it in full'),
  generatedAt: timestamp().describe('When the numbers were read'),
});

export const cohorts = operations({
  getCohorts: {
    method: 'GET',
    path: '/v1/analytics/cohorts',
    permission: 'analytics:read',
    summary: 'Retrieve a cohort analysis',
    description:
      'Groups leads by when they began, and counts for each period since then what they did in it. Each lead counts once in a period.',
    query: CohortQuery,
    reply: Cohorts,
    message: 'Cohorts retrieved',
    errors: limitErrors,
  },
});
