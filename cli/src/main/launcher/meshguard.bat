@echo off
rem Starts the meshguard.jar in the folder of this script, with the Java of JAVA_HOME or else of the PATH.
setlocal
set "JAVA=java"
if defined JAVA_HOME set "JAVA=%JAVA_HOME%\bin\java"
"%JAVA%" -jar "%~dp0meshguard.jar" %*
exit /b %ERRORLEVEL%
