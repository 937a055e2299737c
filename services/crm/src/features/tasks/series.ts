import type { TaskSummary } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { asRecurrence, placeOf, type SeriesPlace } from './recurrence.ts';
import type { TaskRecord } from './task.ts';

type Placed = TaskRecord & Pick<z.output<typeof TaskSummary>, 'recurrence' | 'nextTaskId'>;

/** Tasks with their series and the tasks that follow them: a query each for all tasks, none if no task recurs. */
export async function withSeries(tx: Tx, tasks: readonly TaskRecord[]): Promise<Placed[]> {
  const ids = [...new Set(tasks.flatMap(({ seriesId }) => seriesId ?? []))];
  const found = ids.length ? await tx.taskSeries.findMany({ where: { id: { in: ids } } }) : [];
  const seriesOf = new Map(found.map((series) => [series.id, series]));
  const nextIdOf = await readNextIds(tx, tasks);
  return tasks.map((task) => {
    const place = placeOf(task);
    const series = place && seriesOf.get(place.seriesId);
    return { ...task, recurrence: series ? asRecurrence(series, place) : null, nextTaskId: nextIdOf(task) };
  });
}

/** A task with the id of the task that follows it. */
export async function withNextTask(tx: Tx, task: TaskRecord): Promise<TaskRecord & Pick<Placed, 'nextTaskId'>> {
  const nextIdOf = await readNextIds(tx, [task]);
  return { ...task, nextTaskId: nextIdOf(task) };
}

/** Finds the tasks that follow others in their series, of those that the caller can read. */
async function readNextIds(tx: Tx, tasks: readonly TaskRecord[]): Promise<(task: TaskRecord) => number | null> {
  const places = tasks.flatMap((task) => placeOf(task) ?? []);
  const next = places.map(({ seriesId, occurrence }) => ({ seriesId, occurrence: occurrence + 1 }));
  const select = { id: true, seriesId: true, occurrence: true } as const;
  const found = next.length ? await tx.task.findMany({ where: { deletedAt: null, OR: next }, select }) : [];
  const keyOf = ({ seriesId, occurrence }: Pick<SeriesPlace, 'seriesId' | 'occurrence'>) => `${seriesId} ${occurrence}`;
  const ids = new Map(found.map(({ id, ...place }) => [keyOf(place as SeriesPlace), id]));
  return (task) => {
    const place = placeOf(task);
    return (place && ids.get(keyOf({ ...place, occurrence: place.occurrence + 1 }))) ?? null;
  };
}
