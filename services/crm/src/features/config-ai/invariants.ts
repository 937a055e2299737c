import type { GeneratedStages, GeneratedStatuses } from '@tandem/crm-contract';
import type { z } from 'zod';
import { defaultCodes } from '../config/defaults.ts';

type Statuses = z.output<typeof GeneratedStatuses>['statuses'];
type Items = Omit<Statuses[number], 'category'>[];
type Stages = z.output<typeof GeneratedStages>['stages'];
type Rule = [isSatisfied: boolean, message: string];

/** Messages of the rules that generated lead statuses violate. */
export function statusViolations(statuses: Statuses): string[] {
  return violations([
    ...commonRules(statuses, 'lead'),
    [
      statuses.every(({ isDefault, category }) => !isDefault || category === 'new'),
      'The default status must have the category new.',
    ],
  ]);
}

/** Messages of the rules that generated stages violate. */
export function stageViolations(stages: Stages): string[] {
  const won = stages.filter(({ isWon }) => isWon);
  const lost = stages.filter(({ isClosed, isWon }) => isClosed && !isWon);
  const open = [...stages]
    .sort((a, b) => a.sortOrder - b.sortOrder)
    .filter(({ isClosed, isWon }) => !isClosed && !isWon);
  const probabilities = open.map(({ defaultProbability }) => defaultProbability);
  return violations([
    ...commonRules(stages, 'opportunity'),
    [won.every(({ isClosed }) => isClosed), 'A stage with isWon true must have isClosed true.'],
    [won.length === 1, 'Exactly one stage must have isWon true.'],
    [won.every((stage) => stage.defaultProbability === 100), 'The won stage must have defaultProbability 100.'],
    [lost.length === 1, 'Exactly one stage must have isClosed true and isWon false.'],
    [lost.every((stage) => stage.defaultProbability === 0), 'The lost stage must have defaultProbability 0.'],
    [open.length > 0, 'At least one stage must be open.'],
    [stages.every((stage) => !(stage.isDefault && stage.isClosed)), 'The default stage must be open.'],
    [
      probabilities.every((value, index) => index === 0 || value >= (probabilities[index - 1] as number)),
      'defaultProbability of the open stages must not decrease with sortOrder.',
    ],
  ]);
}

function commonRules(items: Items, entityType: 'lead' | 'opportunity'): Rule[] {
  const codes = items.map(({ code }) => code);
  const defaults = codes.filter((code) => defaultCodes(entityType).includes(code));
  return [
    [items.filter(({ isDefault }) => isDefault).length === 1, 'Exactly one item must have isDefault true.'],
    [new Set(codes).size === codes.length, 'Every code must be unique.'],
    [codes.every((code) => /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(code)), 'Every code must be snake_case.'],
    [
      items.every(({ sortOrder }, index) => sortOrder === index),
      'sortOrder must be 0, 1, 2, … in the order of the list.',
    ],
    // Every tenant has these codes, so creating them again would fail.
    [defaults.length === 0, `These codes already exist, use other ones: ${defaults.join(', ')}.`],
  ];
}

function violations(rules: Rule[]): string[] {
  return rules.filter(([isSatisfied]) => !isSatisfied).map(([, message]) => message);
}
