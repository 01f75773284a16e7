#pragma once
// The joint fit: few physical parameters, all at once, on rows of role calibrate alone.
//
// What is made small: the sum over rows of (log(forecast / measured) / error_scale)^2, beyond 1.5 only linearly
// (bounded_pull), every row with the same weight, plus over parameters ((value - prior) / half width of the prior
// interval)^2. Levenberg and Marquardt over variables that cannot leave their ranges; derivatives by steps of half a
// half-width, large against the noise of short windows (random numbers are common to all). What has a grid is tried
// value by value, one parameter after the other, once the others have settled, and those then settle again. Parameters
// the rows cannot see are held at their prior and the rest is fitted anew. Then full windows say what it was good for.
//
// Limits: a local minimum; residuals of rows in a collapse are noisy.

#include "sim/study/calibration_runs.hpp"
#include "sim/study/least_squares.hpp"

#include <string>
#include <vector>

namespace lockcast {

enum class Fate : std::uint8_t { fitted, chosen, held };  // by derivatives, from its grid, at its prior

struct FittedParameter {
  Fate fate = Fate::fitted;
  double value = 0;
  Bounds<double> interval;  // a standard deviation of the fit to both sides; from a grid: its neighbours
  bool at_bound = false;    // of its range, nearly
};

struct CalibrationStep {
  std::string what;  // "start", "iteration 2", "grid of ..."
  double cost = 0;
  double mean_error = 0;  // |forecast / measured - 1|, short windows
};

struct Calibration {
  std::vector<FittedParameter> parameters;  // one per free parameter
  std::vector<CalibrationStep> steps;
  std::vector<std::string> failures;  // rows that could not be forecast on the way, with the values
  std::vector<std::string> unseen;    // null directions in words
  std::vector<double> singular_values;
  std::vector<double> row_noise;  // |log| of what two seeds say about each row at the start, in short windows
  std::vector<double> fit_tps;    // of every row in short windows, where the fit ended
  double noise = 0;               // of one forecast in a short window, as a share: from two seeds at the start
  double noise_singular = 0;      // the singular value that this noise alone could make
  bool converged = false;
  std::vector<double> before;  // tps of every row in full windows, at the hand-written values
  std::vector<double> after;
};

Calibration calibrate(const CalibrationStudy& study, const std::vector<CalibrationRow>& rows,
                      const CalibrationOptions& options, Journal& journal);

// Mean of |forecast / measured - 1|.
double mean_error(const std::vector<CalibrationRow>& rows, const std::vector<double>& tps);

struct OverlayFile {
  std::string path;
  std::string text;  // empty: nothing of that file was fitted
};
std::vector<OverlayFile> overlay_files(const CalibrationStudy& study, const std::vector<CalibrationRow>& rows,
                                       const Calibration& calibration, const std::string& date, std::uint64_t seed);

}  // namespace lockcast
