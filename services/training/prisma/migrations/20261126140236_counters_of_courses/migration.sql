-- backfill
UPDATE "course" SET "modules_count" = found.modules, "lessons_count" = found.lessons, "enrollment_count" = found.enrollments
FROM (
  SELECT * FROM (
    SELECT course."tenant_id", course."environment", course."id",
      course."modules_count", course."lessons_count", course."enrollment_count",
      (SELECT count(*) FROM "module" WHERE "module"."tenant_id" = course."tenant_id"
        AND "module"."environment" = course."environment" AND "module"."course_id" = course."id") AS modules,
      (SELECT count(*) FROM "lesson" WHERE "lesson"."tenant_id" = course."tenant_id"
        AND "lesson"."environment" = course."environment" AND "lesson"."course_id" = course."id"
        AND "lesson"."deleted_at" IS NULL) AS lessons,
      (SELECT count(*) FROM "enrollment" WHERE "enrollment"."tenant_id" = course."tenant_id"
        AND "enrollment"."environment" = course."environment" AND "enrollment"."course_id" = course."id"
        AND "enrollment"."status" <> 'withdrawn') AS enrollments
    FROM "course" course) counted
  WHERE (counted."modules_count", counted."lessons_count", counted."enrollment_count")
    IS DISTINCT FROM (counted.modules, counted.lessons, counted.enrollments)
  LIMIT 500) found
WHERE "course"."tenant_id" = found."tenant_id" AND "course"."environment" = found."environment" AND "course"."id" = found."id";
