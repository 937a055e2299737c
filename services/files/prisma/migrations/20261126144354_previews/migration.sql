-- AlterTable
ALTER TABLE "file_version" ADD COLUMN     "previews" TEXT;
