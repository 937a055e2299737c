import { id, listQuery, name, operations, page } from '@tandem/contract';
import { z } from 'zod';
import { courseUpdated } from './course.ts';
import { LessonSummary } from './lesson.ts';
import { lessonsMax } from './lessons.ts';
import { Module, ModuleDescription, moduleCreated, moduleDeleted, modulesMax, moduleUpdated } from './module.ts';

const ofCourse = z.object({ id: id('course') });
const withId = ofCourse.extend({ moduleId: id('module') });

export const modules = operations({
  createModule: {
    method: 'POST',
    path: '/v1/training/courses/:id/modules',
    permission: 'training:write',
    feature: 'training',
    summary: 'Add a module to a course',
    description: 'The module is added after the other modules.',
    params: ofCourse,
    body: z.object({ title: name(200), description: ModuleDescription.nullish() }),
    reply: Module,
    status: 201,
    message: 'Module created',
    emits: [moduleCreated],
    errors: { too_many_modules: [409, `The course has ${modulesMax} modules already; delete one first`] },
  },
  listModules: {
    method: 'GET',
    path: '/v1/training/courses/:id/modules',
    permission: 'training:read',
    narrows: true,
    summary: 'List the modules of a course',
    description: 'Sorted by `order` unless `sort` is set.',
    params: ofCourse,
    query: listQuery(['createdAt', 'order'], 'order').omit({ search: true }),
    reply: page(Module),
    message: 'Modules retrieved',
  },
  getModule: {
    method: 'GET',
    path: '/v1/training/courses/:id/modules/:moduleId',
    permission: 'training:read',
    narrows: true,
    summary: 'Retrieve a module',
    params: withId,
    reply: Module,
    message: 'Module retrieved',
  },
  updateModule: {
    method: 'PATCH',
    path: '/v1/training/courses/:id/modules/:moduleId',
    permission: 'training:write',
    feature: 'training',
    summary: 'Update a module',
    params: withId,
    body: z.object({ title: name(200).optional(), description: ModuleDescription.nullish() }),
    reply: Module,
    message: 'Module updated',
    emits: [moduleUpdated],
  },
  deleteModule: {
    method: 'DELETE',
    path: '/v1/training/courses/:id/modules/:moduleId',
    permission: 'training:delete',
    summary: 'Delete a module',
    description:
      'Deletes an empty module. With `moveTo`, the lessons of the module move to the end of another module of the course first.',
    params: withId,
    query: z.object({ moveTo: id('module').describe('The module that takes over the lessons').optional() }),
    reply: z.object({ id: id('module'), deleted: z.literal(true).describe('Always true') }),
    message: 'Module deleted',
    emits: [moduleDeleted],
    errors: {
      module_not_empty: [
        409,
        'The module has lessons; send moveTo with the id of another module, or delete them first',
      ],
    },
  },
  orderModules: {
    method: 'PUT',
    path: '/v1/training/courses/:id/modules/order',
    permission: 'training:write',
    feature: 'training',
    summary: 'Order the modules of a course',
    description: 'Lessons follow the order of their modules.',
    params: ofCourse,
    body: z.object({
      ids: z.array(id('module')).max(modulesMax).describe('Every module of the course, once, in the new order'),
    }),
    reply: z.object({ modules: z.array(Module).describe('The modules in their new order') }),
    message: 'Modules ordered',
    emits: [moduleUpdated],
  },
  orderLessons: {
    method: 'PUT',
    path: '/v1/training/courses/:id/lessons/order',
    permission: 'training:write',
    feature: 'training',
    summary: 'Order the lessons of a course',
    description:
      'Lessons without a module come first, then those of each module in the order of the modules. To move a lesson to another module, update its `moduleId`.',
    params: ofCourse,
    body: z.object({
      ids: z.array(id('lesson')).max(lessonsMax).describe('Every lesson of the course, once, in the new order'),
    }),
    reply: z.object({ lessons: z.array(LessonSummary).describe('The lessons in their new order') }),
    message: 'Lessons ordered',
    emits: [courseUpdated],
  },
});
