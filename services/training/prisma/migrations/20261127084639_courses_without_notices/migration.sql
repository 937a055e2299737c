-- AlterTable
ALTER TABLE "course" ADD COLUMN     "notify_learners" BOOLEAN NOT NULL DEFAULT true;
