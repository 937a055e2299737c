import { event, id, name, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** Modules that a course can have. */
export const modulesMax = 200;

export const ModuleDescription = text(2_000).meta({
  description: 'The description of the module',
  examples: ['From the greeting to the next step'],
});

export const Module = z.object({
  id: id('module'),
  courseId: id('course'),
  title: name(200).meta({ examples: ['Basics'] }),
  description: ModuleDescription.nullable(),
  order: z.int().meta({ description: 'The position among the modules of the course, from 0', examples: [0] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const change = {
  target: 'module',
  data: z.object({ moduleId: id('module'), courseId: id('course') }),
  record: Module,
} as const;

export const moduleCreated = event('training.module.created', {
  ...change,
  description: 'A module is added to a course',
  action: 'module.create',
});
export const moduleUpdated = event('training.module.updated', {
  ...change,
  description: 'A module changes',
  action: 'module.update',
});
export const moduleDeleted = event('training.module.deleted', {
  ...change,
  description: 'A module is deleted',
  action: 'module.delete',
});
