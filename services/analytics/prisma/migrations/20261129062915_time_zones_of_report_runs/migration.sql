-- AlterTable
ALTER TABLE "report_run" ADD COLUMN     "timezone" TEXT;
