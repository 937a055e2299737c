-- AlterTable
ALTER TABLE "attempt" ADD COLUMN     "lesson_type" TEXT;
